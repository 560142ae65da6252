SELECT idempotency_key, max(at)
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until
  AND from_state = :from_state AND to_state = :to_state AND event = :event
GROUP BY idempotency_key
ORDER BY max(at) DESC
LIMIT :most
