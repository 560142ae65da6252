SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.lease_expires_at, NULL
FROM idempotency_records AS r
WHERE r.status = 'IN_PROGRESS' AND r.lease_expires_at <= :now AND NOT r.hold
ORDER BY r.lease_expires_at
LIMIT :most
