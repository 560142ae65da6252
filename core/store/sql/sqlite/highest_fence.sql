SELECT max(fence)
FROM (
  SELECT max(fence) AS fence FROM idempotency_records
  UNION ALL
  SELECT max(fence) FROM idempotency_transitions
)
