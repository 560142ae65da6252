SELECT scope, operation_type, idempotency_key
FROM idempotency_transitions
WHERE seq >= :first AND seq < :end AND (owner = :who OR actor = :who)
GROUP BY scope, operation_type, idempotency_key
ORDER BY max(seq) DESC
LIMIT 100
