-- The counter must not be behind a fence that was given out, or a record that is deleted and reserved again would get
-- an older one. setval could step back under a concurrent nextval.
SELECT count(nextval('idempotency_fence_seq'))
FROM generate_series(1, :fence - COALESCE(pg_sequence_last_value('idempotency_fence_seq'), 0))
