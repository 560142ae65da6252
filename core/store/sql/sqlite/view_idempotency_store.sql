CREATE VIEW IF NOT EXISTS idempotency_store AS
SELECT idempotency_key,
  lower(hex(request_hash)) AS request_hash,
  CAST(response_body AS TEXT) AS response,
  (expires_at - created_at) / 1000000 AS ttl
FROM idempotency_records
