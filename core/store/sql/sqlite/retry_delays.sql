-- Retries are the few among all entries: each looks for the failure before it by the key's index.
SELECT t.scope, t.operation_type, t.attempt, t.at,
  (
    SELECT p.at
    FROM idempotency_transitions AS p
    WHERE p.scope = t.scope AND p.operation_type = t.operation_type AND p.idempotency_key = t.idempotency_key
      AND p.seq < t.seq AND p.event = 'fail'
    ORDER BY p.seq DESC
    LIMIT 1
  )
FROM idempotency_transitions AS t
WHERE t.seq >= :first AND t.seq <= :last AND t.at >= :from AND t.at < :until
  AND t.event = 'reserve' AND t.from_state = 'FAILED_RETRYABLE' AND t.to_state = 'IN_PROGRESS'
ORDER BY t.seq DESC
LIMIT :most
