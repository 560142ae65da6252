SELECT COALESCE(max(slot), 0)
FROM idempotency_conflicts
WHERE {key}
