-- Row 12 while there are attempts left. No row: fenced, or the last attempt.
UPDATE idempotency_records
SET previous_status = {shown},
  status = 'FAILED_RETRYABLE',
  not_before = :now + :retry_after,
  error_code = :error_code,
  hold = 0,
  hold_reason = NULL,
  hold_by = NULL,
  updated_at = :now
WHERE {key}
  AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence AND (max_attempts = 0 OR attempt < max_attempts)
RETURNING 1 AS won, updated_at AS now, {record}, previous_status
