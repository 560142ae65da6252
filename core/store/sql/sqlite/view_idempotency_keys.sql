CREATE VIEW IF NOT EXISTS idempotency_keys AS
SELECT scope || char(31) || operation_type || char(31) || idempotency_key AS key,
  lower(hex(COALESCE(payload_hash, request_hash))) AS payload_hash,
  CASE status WHEN 'SUCCEEDED' THEN 'complete' WHEN 'FAILED_FINAL' THEN 'failed' ELSE 'pending' END AS status,
  COALESCE(response_ref_id, CAST(response_body AS TEXT)) AS result_ref,
  response_code AS http_code,
  created_at,
  expires_at
FROM idempotency_records
