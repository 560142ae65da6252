SELECT entries, hash
FROM idempotency_chain
WHERE id = 1
