CREATE OR REPLACE VIEW idempotency_store AS
SELECT idempotency_key,
  encode(request_hash, 'hex') AS request_hash,
  encode(response_body, 'escape') AS response,
  extract(epoch FROM expires_at - created_at)::bigint AS ttl
FROM idempotency_records
