INSERT INTO idempotency_meta (id, fence) VALUES (1, 0)
