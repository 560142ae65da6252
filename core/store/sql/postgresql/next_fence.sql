-- One draw is above :above, unless somebody wrote a fence around the counter: then so many that the last one is. NULL:
-- that would take too long.
SELECT max(nextval('idempotency_fence_seq'))
FROM generate_series(1, CASE WHEN {last_fence} + 100000 < :above THEN 0
  ELSE GREATEST(1, :above + 1 - {last_fence}) END)
