SELECT :now, {record}
FROM idempotency_records
WHERE {key}
