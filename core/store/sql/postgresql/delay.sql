-- Row 12 while there are attempts left. No row: fenced, or the last attempt.
WITH up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    status = 'FAILED_RETRYABLE',
    not_before = clock.now + :retry_after * interval '1 microsecond',
    error_code = :error_code,
    hold = FALSE,
    hold_reason = NULL,
    hold_by = NULL,
    updated_at = clock.now
  FROM (SELECT {now} AS now) AS clock
  WHERE {key}
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = :owner::uuid AND r.fence = :fence AND (r.max_attempts = 0 OR r.attempt < r.max_attempts)
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, previous_status, {shown_after}, 'fail', fence, attempt,
    owner_execution_id::text, owner_execution_id::text, 'failed, may be retried', updated_at
  FROM up
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
