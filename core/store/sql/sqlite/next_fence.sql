-- Nobody else draws while this transaction holds the write lock.
SELECT max(fence, :above) + 1
FROM idempotency_meta
WHERE id = 1
