-- Of a fence that nothing tells, nobody can say whether its record was never there, or was reaped and its entries
-- purged.
{fences_since}
SELECT count(*)
FROM (
  SELECT 1
  FROM effects AS e
  WHERE NOT COALESCE(e.fence > (SELECT since.fence FROM since), FALSE)
    AND NOT EXISTS (SELECT 1 FROM journal AS k WHERE k.fence = e.fence)
    AND NOT EXISTS (SELECT 1 FROM idempotency_records AS r WHERE r.fence = e.fence)
  LIMIT :most
) AS u
