UPDATE idempotency_records
SET request_headers = :request_headers::json
WHERE {key} AND fence = :fence
