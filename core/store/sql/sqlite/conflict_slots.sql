SELECT slot
FROM idempotency_conflicts
WHERE {key}
