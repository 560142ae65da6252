SELECT count(*)
FROM (
  SELECT 1
  FROM idempotency_records AS r
  WHERE r.hold IS TRUE AND r.updated_at = 0
  LIMIT :most
) AS u
