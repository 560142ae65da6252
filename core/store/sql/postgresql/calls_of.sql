SELECT {call}
FROM outbound_calls
WHERE {key}
ORDER BY created_at, vendor, operation, call_key
