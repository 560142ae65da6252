(SELECT t.fence
    FROM idempotency_transitions AS t
    WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
      AND t.event = 'reserve' AND t.attempt = 1 AND t.to_state = 'IN_PROGRESS'
    ORDER BY t.seq DESC
    LIMIT 1)
