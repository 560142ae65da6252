SELECT fence, attempt
FROM idempotency_transitions
WHERE {key} AND event = 'reserve' AND to_state = 'IN_PROGRESS'
ORDER BY seq
