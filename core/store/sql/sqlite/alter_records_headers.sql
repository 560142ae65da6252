ALTER TABLE idempotency_records ADD COLUMN request_headers TEXT
