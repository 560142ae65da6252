SELECT scope, operation_type, idempotency_key
FROM idempotency_records
WHERE status IN ('IN_PROGRESS', 'FAILED_RETRYABLE') AND NOT hold AND {sane_fence} AND expires_at <= :now - :grace
  AND (status = 'FAILED_RETRYABLE' OR lease_expires_at <= :now)
ORDER BY expires_at, scope, operation_type, idempotency_key
LIMIT :batch
