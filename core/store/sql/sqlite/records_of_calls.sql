-- A key may be told with its scope.
SELECT DISTINCT scope, operation_type, idempotency_key, 'call of ' || vendor || ' ' || operation || ' that is ' || state
FROM outbound_calls
WHERE idempotency_key = :who OR scope || '/' || operation_type || '/' || idempotency_key = :who
LIMIT 20
