SELECT {client_call_columns}
FROM idempotency_client_calls
WHERE state <> 'confirmed'
ORDER BY created_at, operation, key
