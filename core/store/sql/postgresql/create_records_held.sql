CREATE INDEX IF NOT EXISTS idempotency_records_held ON idempotency_records (created_at, scope, operation_type, idempotency_key)
WHERE hold IS TRUE
