CREATE INDEX IF NOT EXISTS idempotency_audit_by_row ON idempotency_audit (identity, seq)
