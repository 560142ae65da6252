SELECT count(*)
FROM (
  SELECT 1
  FROM idempotency_records AS r
  WHERE r.status = 'IN_PROGRESS' AND r.lease_expires_at IS NULL AND NOT r.hold
  LIMIT :most
) AS u
