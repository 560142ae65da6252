SELECT has_sequence_privilege('idempotency_fence_seq', 'USAGE, SELECT')
