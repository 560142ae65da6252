SELECT k.source, count(*) AS keys, sum(k.arrivals)::bigint, min(k.first_at), max(k.last_at)
FROM (
  SELECT consumer, source, event_id, sum(deaths) AS arrivals, min(first_at) AS first_at, max(dead_at) AS last_at
  FROM dead_letters
  WHERE kind = 'conflict' AND dead_at >= :from AND first_at < :until
  GROUP BY consumer, source, event_id
) AS k
GROUP BY k.source
ORDER BY keys DESC, k.source
LIMIT 1000
