SELECT (to_regclass('idempotency_audit') IS NOT NULL AND to_regclass('idempotency_chain') IS NOT NULL)::int
