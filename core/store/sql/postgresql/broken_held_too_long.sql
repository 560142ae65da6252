SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, r.hold_reason
FROM idempotency_records AS r
WHERE r.hold IS TRUE AND r.updated_at <> timestamptz 'epoch' AND r.updated_at < :yesterday
ORDER BY r.updated_at
LIMIT :most
