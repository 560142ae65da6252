UPDATE idempotency_records
SET request_headers = :request_headers
WHERE {key} AND fence = :fence
