-- By stretches of two widths at once: the journal is read once for both.
SELECT (at - :from) / :width AS stretch, (at - :finer_from) / :finer_width AS finer,
  count(*) FILTER (WHERE event = 'reserve' AND attempt = 1),
  count(*) FILTER (WHERE event = 'reserve' AND attempt > 1),
  count(*) FILTER (WHERE event = 'fail')
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until AND event IN ('reserve', 'fail')
  AND (event = 'fail' OR to_state = 'IN_PROGRESS')
GROUP BY stretch, finer
ORDER BY stretch, finer
