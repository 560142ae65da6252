-- Where a log numbers no attempt of a key, they are counted from where each of its lives begins.
UPDATE temp.imported
SET attempt = s.attempts
FROM (
  SELECT line, told,
    sum(begins) OVER (PARTITION BY scope, operation_type, idempotency_key, lives ORDER BY at, line) AS attempts
  FROM (
    SELECT line, scope, operation_type, idempotency_key, at, begins,
      max(attempt) OVER (PARTITION BY scope, operation_type, idempotency_key) AS told,
      sum(begins AND coalesce(nullif(before_state, 'UNKNOWN'), told_before, 'ABSENT')
          NOT IN ('IN_PROGRESS', 'FAILED_RETRYABLE', 'HELD'))
        OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS lives
    FROM temp.imported
  )
) AS s
WHERE s.line = imported.line AND s.told IS NULL AND s.attempts > 0
