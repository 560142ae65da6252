INSERT INTO idempotency_chain (id, entries, hash)
VALUES (1, 0, :hash)
ON CONFLICT (id) DO NOTHING
