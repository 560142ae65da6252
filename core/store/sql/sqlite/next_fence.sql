UPDATE idempotency_meta
SET fence = max(fence, :above) + 1
RETURNING fence
