-- NULL: the role may not read it.
SELECT CASE WHEN has_sequence_privilege('idempotency_fence_seq', 'USAGE, SELECT')
  THEN COALESCE(pg_sequence_last_value('idempotency_fence_seq'), 0) END
