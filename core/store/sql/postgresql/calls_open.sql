SELECT {call}
FROM outbound_calls
WHERE state IN ('SENDING', 'UNKNOWN')
ORDER BY created_at, vendor, operation, call_key
LIMIT :batch
