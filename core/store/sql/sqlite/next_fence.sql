UPDATE idempotency_meta
SET fence = fence + 1
RETURNING fence
