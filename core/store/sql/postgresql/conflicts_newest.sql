SELECT c.scope, c.operation_type, c.idempotency_key, c.presented_hash, c.kind, c.principal, c.count, c.first_at, c.last_at,
  r.request_hash, r.status
FROM idempotency_conflicts AS c
LEFT JOIN idempotency_records AS r ON r.scope = c.scope AND r.operation_type = c.operation_type
  AND r.idempotency_key = c.idempotency_key
WHERE c.kind = 'mismatch' AND c.last_at >= :from AND c.first_at < :until
ORDER BY c.last_at DESC, c.scope, c.operation_type, c.idempotency_key, c.slot
LIMIT :most
