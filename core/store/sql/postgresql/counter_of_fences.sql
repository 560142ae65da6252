-- NULL: none was drawn, or the role may not read it.
SELECT pg_sequence_last_value('idempotency_fence_seq')
