SELECT scope, operation_type, idempotency_key, event, to_state, attempt, fence
FROM idempotency_transitions
WHERE (scope, operation_type, idempotency_key) IN (
    SELECT e ->> 0, e ->> 1, e ->> 2 FROM json_array_elements(CAST(:records AS json)) AS e)
  AND ((event = 'reserve' AND attempt = 1) OR event = 'reopen' OR to_state IN ('SUCCEEDED', 'FAILED_FINAL'))
ORDER BY seq
