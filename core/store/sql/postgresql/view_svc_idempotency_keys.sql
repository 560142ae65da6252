CREATE OR REPLACE VIEW svc_idempotency_keys AS
SELECT idempotency_key AS key,
  scope,
  encode(request_hash, 'hex') AS request_hash,
  encode(response_body, 'escape') AS response,
  expires_at,
  created_at
FROM idempotency_records
WHERE status = 'SUCCEEDED'
