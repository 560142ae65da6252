CREATE SEQUENCE idempotency_fence_seq AS BIGINT
