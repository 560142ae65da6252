SELECT {client_call_columns}
FROM idempotency_client_calls
WHERE operation = :operation AND key = :key
