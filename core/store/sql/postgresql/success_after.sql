SELECT attempt, count(*)
FROM idempotency_transitions
WHERE seq >= :first AND seq <= :last AND at >= :from AND at < :until AND event = 'finalize' AND to_state = 'SUCCEEDED'
GROUP BY attempt
ORDER BY attempt
