CREATE VIEW IF NOT EXISTS svc_idempotency_keys AS
SELECT idempotency_key AS key,
  scope,
  lower(hex(request_hash)) AS request_hash,
  CAST(response_body AS TEXT) AS response,
  expires_at,
  created_at
FROM idempotency_records
WHERE status = 'SUCCEEDED'
