SELECT count(*)
FROM (
  SELECT 1
  FROM effects AS e
  WHERE NOT EXISTS (SELECT 1 FROM idempotency_transitions)
    AND NOT EXISTS (SELECT 1 FROM idempotency_records AS r WHERE r.fence = e.fence)
  LIMIT :most
) AS u
