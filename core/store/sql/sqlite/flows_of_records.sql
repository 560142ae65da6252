SELECT from_state, to_state, event, count(*), min(at), max(at)
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until
GROUP BY from_state, to_state, event
