DELETE FROM idempotency_conflicts
WHERE {key}
