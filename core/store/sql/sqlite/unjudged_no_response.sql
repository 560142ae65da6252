SELECT count(*)
FROM (
  SELECT 1
  FROM idempotency_records AS r
  WHERE r.status = 'SUCCEEDED' AND r.response_code IS NULL AND r.response_ref_id IS NULL AND r.tombstone_until IS NULL
    AND r.fingerprint_alg = 'unknown'
  LIMIT :most
) AS u
