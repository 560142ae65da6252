SELECT scope, operation_type, idempotency_key, event, to_state, attempt, fence
FROM idempotency_transitions
WHERE (scope, operation_type, idempotency_key) IN (
    SELECT e ->> 0, e ->> 1, e ->> 2 FROM json_array_elements(CAST(:records AS json)) AS e)
  AND {of_lives}
ORDER BY seq
