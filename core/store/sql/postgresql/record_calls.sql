SELECT substr(vendor, 1, 64), substr(operation, 1, 64), state, substr(ref, 1, 64), call_key, step, created_at
FROM outbound_calls
WHERE {key} AND state IN ('DONE', 'SENDING', 'UNKNOWN')
ORDER BY created_at, vendor, operation, call_key
