SELECT scope, operation_type, idempotency_key, max(CASE WHEN idempotency_key = :who THEN 1 ELSE 0 END)
FROM idempotency_transitions
WHERE seq >= :first AND seq < :end AND (owner = :who OR actor = :who OR idempotency_key = :who)
GROUP BY scope, operation_type, idempotency_key
ORDER BY max(seq) DESC
LIMIT 100
