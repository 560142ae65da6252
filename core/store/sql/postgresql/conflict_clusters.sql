SELECT k.principal, count(*) AS keys, sum(k.arrivals)::bigint, min(k.first_at), max(k.last_at)
FROM (
  SELECT principal, scope, operation_type, idempotency_key, sum(count) AS arrivals, min(first_at) AS first_at,
    max(last_at) AS last_at
  FROM idempotency_conflicts
  WHERE kind = 'mismatch' AND last_at >= :from AND first_at < :until
  GROUP BY principal, scope, operation_type, idempotency_key
) AS k
GROUP BY k.principal
ORDER BY keys DESC, k.principal
LIMIT 1000
