-- What failed for good, beside what its vendors have done.
CREATE INDEX IF NOT EXISTS idempotency_records_failed ON idempotency_records (updated_at) WHERE status = 'FAILED_FINAL'
