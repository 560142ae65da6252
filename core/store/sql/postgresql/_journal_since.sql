COALESCE((
      SELECT g.at
      FROM (
        SELECT k.*
        FROM idempotency_transitions AS k
        WHERE k.to_state = 'ABSENT' AND {no_record}
        ORDER BY k.seq
        LIMIT 1
      ) AS g
      WHERE NOT EXISTS (
        SELECT 1
        FROM idempotency_transitions AS b
        WHERE b.scope = g.scope AND b.operation_type = g.operation_type AND b.idempotency_key = g.idempotency_key
          AND b.seq < g.seq AND b.from_state = 'ABSENT')
    ), (SELECT t.at FROM idempotency_transitions AS t ORDER BY t.seq LIMIT 1))
