-- One draw is above :above, unless somebody wrote a fence around the counter: then so many that the last one is.
SELECT max(nextval('idempotency_fence_seq'))
FROM generate_series(1, GREATEST(1, :above + 1 - COALESCE(pg_sequence_last_value('idempotency_fence_seq'), 0)))
