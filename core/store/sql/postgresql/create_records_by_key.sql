-- A key is looked for without its scope. Its rows are read in the order of their pages, without a sort. None of the
-- columns ever changes, so the index costs an insert alone.
CREATE INDEX IF NOT EXISTS idempotency_records_key ON idempotency_records (idempotency_key, created_at, scope, operation_type)
