NOT EXISTS (
    SELECT 1
    FROM idempotency_records AS r
    WHERE r.scope = k.scope AND r.operation_type = k.operation_type AND r.idempotency_key = k.idempotency_key)
