SELECT 1
FROM idempotency_transitions
WHERE {key} AND event = 'fenced' AND owner = :owner AND fence = :fence AND reason LIKE 'finalize:%'
LIMIT 1
