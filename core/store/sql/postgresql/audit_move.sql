UPDATE idempotency_chain
SET entries = :entries, hash = :hash
WHERE id = 1
