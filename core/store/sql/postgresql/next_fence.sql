SELECT nextval('idempotency_fence_seq')
