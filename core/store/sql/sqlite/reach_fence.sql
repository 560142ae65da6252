UPDATE idempotency_meta
SET fence = max(fence, :fence)
WHERE id = 1
