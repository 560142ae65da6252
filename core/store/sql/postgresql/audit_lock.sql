-- Whoever appends waits here, so the chain never forks.
SELECT entries, hash
FROM idempotency_chain
WHERE id = 1
FOR UPDATE
