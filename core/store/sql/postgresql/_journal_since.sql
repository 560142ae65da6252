COALESCE((
      SELECT max(g.at)
      FROM (SELECT * FROM idempotency_transitions WHERE to_state = 'ABSENT' ORDER BY seq LIMIT 50000) AS g
      WHERE (
        SELECT b.from_state
        FROM idempotency_transitions AS b
        WHERE b.scope = g.scope AND b.operation_type = g.operation_type AND b.idempotency_key = g.idempotency_key
          AND b.seq > COALESCE((
            SELECT max(p.seq)
            FROM idempotency_transitions AS p
            WHERE p.scope = g.scope AND p.operation_type = g.operation_type AND p.idempotency_key = g.idempotency_key
              AND p.to_state = 'ABSENT' AND p.seq < g.seq), 0)
        ORDER BY b.seq
        LIMIT 1) <> 'ABSENT'
    ), (SELECT t.at FROM idempotency_transitions AS t ORDER BY t.seq LIMIT 1))
