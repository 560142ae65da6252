SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, r.fence::text
FROM idempotency_records AS r
WHERE r.fence > {last_fence}
LIMIT :most
