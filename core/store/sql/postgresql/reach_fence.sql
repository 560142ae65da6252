-- Draw by draw, because setval could step back under a concurrent nextval. NULL: that would take too long.
SELECT CASE WHEN {last_fence} + 100000 < :fence THEN NULL ELSE (
  SELECT count(nextval('idempotency_fence_seq'))
  FROM generate_series(1, :fence - {last_fence})) END
