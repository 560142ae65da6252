(SELECT t.fence
    FROM idempotency_transitions AS t
    WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
      AND t.event = 'reserve' AND t.attempt = 1 AND t.to_state = 'IN_PROGRESS'
    ORDER BY t.seq DESC
    LIMIT 1),
  (SELECT e.fence
    FROM idempotency_transitions AS e
    WHERE (e.scope, e.operation_type, e.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
      AND e.to_state IN ('SUCCEEDED', 'FAILED_FINAL')
      AND NOT EXISTS (
        SELECT 1
        FROM idempotency_transitions AS u
        WHERE (u.scope, u.operation_type, u.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
          AND u.event = 'reopen' AND u.seq > e.seq AND u.seq < (SELECT t.seq
              FROM idempotency_transitions AS t
              WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
                AND t.event = 'reserve' AND t.attempt = 1 AND t.to_state = 'IN_PROGRESS'
              ORDER BY t.seq DESC
              LIMIT 1))
      AND e.seq < (SELECT t.seq
          FROM idempotency_transitions AS t
          WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
            AND t.event = 'reserve' AND t.attempt = 1 AND t.to_state = 'IN_PROGRESS'
          ORDER BY t.seq DESC
          LIMIT 1)
    ORDER BY e.seq DESC
    LIMIT 1)
