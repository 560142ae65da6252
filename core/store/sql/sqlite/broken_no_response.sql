-- What is only a tombstone has lost its answer on purpose, what was made of a log was never told it, and nobody is
-- answered from what has expired.
SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, NULL
FROM idempotency_records AS r
WHERE r.status = 'SUCCEEDED' AND r.response_code IS NULL AND r.response_ref_id IS NULL AND r.tombstone_until IS NULL
  AND r.fingerprint_alg <> 'unknown' AND r.expires_at > :now
LIMIT :most
