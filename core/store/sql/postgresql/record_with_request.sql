SELECT {record}, request_headers
FROM idempotency_records
WHERE {key}
