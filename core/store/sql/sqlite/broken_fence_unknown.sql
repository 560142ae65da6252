SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, CAST(r.fence AS TEXT)
FROM idempotency_records AS r
WHERE r.fence > (SELECT fence FROM idempotency_meta)
LIMIT :most
