SELECT floor(extract(epoch FROM at - :from::timestamptz) * 1000000 / :width::bigint)::bigint AS stretch,
  count(*) FILTER (WHERE event = 'reserve' AND attempt = 1),
  count(*) FILTER (WHERE event = 'reserve' AND attempt > 1),
  count(*) FILTER (WHERE event = 'fail')
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until AND event IN ('reserve', 'fail')
  AND (event = 'fail' OR to_state = 'IN_PROGRESS')
GROUP BY stretch
ORDER BY stretch
