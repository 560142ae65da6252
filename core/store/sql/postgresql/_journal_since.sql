COALESCE((
      SELECT k.at
      FROM idempotency_transitions AS k
      WHERE k.to_state = 'ABSENT' AND {no_record}
      ORDER BY k.seq
      LIMIT 1), (SELECT t.at FROM idempotency_transitions AS t ORDER BY t.seq LIMIT 1))
