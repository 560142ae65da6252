COALESCE((
      SELECT max(g.at)
      FROM (SELECT * FROM idempotency_transitions WHERE to_state = 'ABSENT' ORDER BY seq LIMIT 50000) AS g
      WHERE NOT EXISTS (
        SELECT 1
        FROM idempotency_transitions AS b
        WHERE b.scope = g.scope AND b.operation_type = g.operation_type AND b.idempotency_key = g.idempotency_key
          AND b.seq < g.seq)
    ), (SELECT t.at FROM idempotency_transitions AS t ORDER BY t.seq LIMIT 1))
