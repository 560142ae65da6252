SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.expires_at, NULL
FROM idempotency_records AS r
WHERE (r.status = 'FAILED_RETRYABLE' AND r.not_before >= r.expires_at)
  OR (r.status = 'IN_PROGRESS' AND r.lease_expires_at > r.expires_at)
LIMIT :most
