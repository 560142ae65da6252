CREATE INDEX idempotency_records_open ON idempotency_records (status, lease_expires_at)
WHERE status IN ('IN_PROGRESS', 'FAILED_RETRYABLE')
