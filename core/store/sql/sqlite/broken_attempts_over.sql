SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, r.attempt || ' of ' || r.max_attempts,
  CASE WHEN r.status IN ('IN_PROGRESS', 'FAILED_RETRYABLE') THEN 'yes' END
FROM idempotency_records AS r
WHERE r.max_attempts > 0 AND r.attempt > r.max_attempts AND r.status <> 'FAILED_FINAL'
LIMIT :most
