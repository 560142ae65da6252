SELECT t.at,
  (
    SELECT p.at
    FROM idempotency_transitions AS p
    WHERE p.scope = t.scope AND p.operation_type = t.operation_type AND p.idempotency_key = t.idempotency_key
      AND p.seq < t.seq AND p.event = 'reserve' AND p.attempt = 1
    ORDER BY p.seq DESC
    LIMIT 1
  )
FROM idempotency_transitions AS t
WHERE t.seq >= :first AND t.seq <= :last AND t.at >= :from AND t.at < :until
  AND t.event = 'finalize' AND t.to_state = 'SUCCEEDED'
ORDER BY t.seq DESC
LIMIT :most
