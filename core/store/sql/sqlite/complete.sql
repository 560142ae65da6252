-- Rows 10 and 11. No row: the owner or its fence is no longer the record's.
UPDATE idempotency_records
SET previous_status = {shown},
  status = :status,
  response_code = :response_code,
  response_headers = :response_headers,
  response_body = :response_body,
  response_body_digest = :response_body_digest,
  response_truncated = :response_truncated,
  response_ref_type = :response_ref_type,
  response_ref_id = :response_ref_id,
  error_code = :error_code,
  completed_at = :now,
  not_before = NULL,
  expires_at = max(expires_at, :now + COALESCE(:ttl, expires_at - started_at)),
  hold = 0,
  hold_reason = NULL,
  hold_by = NULL,
  updated_at = :now
WHERE {key}
  AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence
RETURNING 1 AS won, updated_at AS now, {record}, previous_status
