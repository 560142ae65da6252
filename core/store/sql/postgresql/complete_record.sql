-- Compare and swap on what was judged, where nothing but the outcome changes.
UPDATE idempotency_records
SET status = :status,
  previous_status = :previous_status,
  response_code = :response_code,
  response_headers = :response_headers::json,
  response_body = :response_body,
  response_body_digest = :response_body_digest,
  response_truncated = :response_truncated,
  response_ref_type = :response_ref_type,
  response_ref_id = :response_ref_id,
  error_code = :error_code,
  updated_at = :updated_at,
  completed_at = :completed_at,
  expires_at = :expires_at
WHERE {key} AND fence = :seen_fence AND status = :seen_status
