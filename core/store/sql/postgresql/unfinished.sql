-- Oldest first. The order is computed: whoever walked an index by age would read all that is finished.
SELECT {record}, request_headers
FROM idempotency_records
WHERE status IN ('IN_PROGRESS', 'FAILED_RETRYABLE')
  AND (:after_created::timestamptz IS NULL OR (created_at, scope, operation_type, idempotency_key) > (:after_created, :scope, :operation, :key))
ORDER BY created_at, scope, operation_type, idempotency_key
LIMIT :batch
