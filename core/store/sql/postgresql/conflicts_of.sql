SELECT scope, operation_type, idempotency_key, presented_hash, kind, principal, count, first_at, last_at
FROM idempotency_conflicts
WHERE {key}
ORDER BY first_at, slot
