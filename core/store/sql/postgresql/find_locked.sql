SELECT {record}
FROM idempotency_records
WHERE {key}
FOR UPDATE
