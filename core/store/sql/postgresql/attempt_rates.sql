-- By stretches of two widths at once: the journal is read once for both. A double holds the microseconds of 285 years,
-- and is divided much faster than a numeric.
SELECT floor(round(date_part('epoch', at - :from::timestamptz) * 1000000) / :width::bigint)::bigint AS stretch, floor(round(date_part('epoch', at - :finer_from::timestamptz) * 1000000) / :finer_width::bigint)::bigint AS finer,
  count(*) FILTER (WHERE event = 'reserve' AND attempt = 1),
  count(*) FILTER (WHERE event = 'reserve' AND attempt > 1),
  count(*) FILTER (WHERE event = 'fail')
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until AND event IN ('reserve', 'fail')
  AND (event = 'fail' OR to_state = 'IN_PROGRESS')
GROUP BY stretch, finer
ORDER BY stretch, finer
