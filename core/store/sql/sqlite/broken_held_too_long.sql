-- 0: a snapshot hides when it was created.
SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, r.hold_reason
FROM idempotency_records AS r
WHERE r.hold IS TRUE AND r.created_at <> 0 AND r.created_at < :yesterday
ORDER BY r.created_at
LIMIT :most
