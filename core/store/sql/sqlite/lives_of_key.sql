SELECT event, to_state, attempt, fence
FROM idempotency_transitions
WHERE {key} AND {of_lives}
ORDER BY seq
