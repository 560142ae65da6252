-- The condition is the profile's word by word, or SQLite would not use it.
CREATE INDEX IF NOT EXISTS idempotency_records_held ON idempotency_records (created_at)
WHERE hold IS TRUE
