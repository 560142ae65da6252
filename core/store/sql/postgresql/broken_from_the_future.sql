SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.created_at, NULL
FROM idempotency_records AS r
WHERE r.created_at > :soon
LIMIT :most
