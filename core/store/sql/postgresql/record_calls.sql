SELECT vendor, operation, state, substr(ref, 1, 64), call_key, step, fence, created_at, expires_at, error_code, {now}
FROM outbound_calls AS c
WHERE {key} AND state IN ('DONE', 'SENDING', 'UNKNOWN')
ORDER BY created_at, vendor, operation, call_key
