SELECT event, to_state, attempt, fence
FROM idempotency_transitions
WHERE {key} AND ((event = 'reserve' AND attempt = 1) OR event = 'reopen' OR to_state IN ('SUCCEEDED', 'FAILED_FINAL'))
ORDER BY seq
