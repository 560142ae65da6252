-- A takeover and a retry are later attempts, and what is held is not in progress.
SELECT fence
FROM idempotency_transitions
WHERE {key} AND event = 'reserve' AND attempt = 1 AND to_state = 'IN_PROGRESS'
ORDER BY seq DESC
LIMIT 1
