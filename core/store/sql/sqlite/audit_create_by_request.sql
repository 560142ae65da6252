CREATE INDEX IF NOT EXISTS idempotency_audit_by_request ON idempotency_audit (request_id, item, seq)
