-- A body that is no text is shown in hexadecimal digits.
CREATE OR REPLACE VIEW idempotency_keys AS
SELECT scope || chr(31) || operation_type || chr(31) || idempotency_key AS key,
  encode(COALESCE(payload_hash, request_hash), 'hex') AS payload_hash,
  CASE status WHEN 'SUCCEEDED' THEN 'complete' WHEN 'FAILED_FINAL' THEN 'failed' ELSE 'pending' END AS status,
  COALESCE(response_ref_id, encode(response_body, 'escape')) AS result_ref,
  response_code AS http_code,
  created_at,
  expires_at
FROM idempotency_records
