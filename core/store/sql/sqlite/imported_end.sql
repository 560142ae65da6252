SELECT max(at)
FROM (
  SELECT max(at) AS at FROM temp.imported
  UNION ALL
  SELECT max(max(first_seen, coalesce(processed, first_seen))) FROM temp.imported_deliveries
)
