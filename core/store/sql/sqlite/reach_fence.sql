UPDATE idempotency_meta
SET fence = max(fence, :fence)
