COALESCE(pg_sequence_last_value('idempotency_fence_seq'), 0)
