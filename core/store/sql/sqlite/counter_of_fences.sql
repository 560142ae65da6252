SELECT fence
FROM idempotency_meta
