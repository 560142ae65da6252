WITH journal AS MATERIALIZED (
  SELECT seq, scope, operation_type, idempotency_key, to_state, event, fence
  FROM idempotency_transitions
  ORDER BY seq DESC
  LIMIT 200000
), since AS MATERIALIZED (
  SELECT fence
  FROM journal
  WHERE event = 'reserve' AND seq >= COALESCE((
    SELECT max(g.seq)
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
      LIMIT 1) <> 'ABSENT'), 0)
  ORDER BY seq
  LIMIT 1
)
