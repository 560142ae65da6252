SELECT scope, operation_type, idempotency_key, vendor, operation, state, substr(ref, 1, 64), call_key, step, fence,
  created_at, expires_at, error_code, {now}
FROM outbound_calls AS c
WHERE (scope, operation_type, idempotency_key) IN (
    SELECT e ->> 0, e ->> 1, e ->> 2 FROM json_array_elements(CAST(:records AS json)) AS e)
  AND state IN ('DONE', 'SENDING', 'UNKNOWN')
ORDER BY created_at, vendor, operation, call_key
