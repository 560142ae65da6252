SELECT count(*) = 2
FROM sqlite_master
WHERE type = 'table' AND name IN ('idempotency_audit', 'idempotency_chain')
