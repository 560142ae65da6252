CREATE INDEX idempotency_records_expires ON idempotency_records (expires_at)
