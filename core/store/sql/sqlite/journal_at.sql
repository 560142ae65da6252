SELECT seq, at
FROM idempotency_transitions
WHERE seq >= :seq
ORDER BY seq
LIMIT 1
