(
      SELECT min(whole.at)
      FROM (
        SELECT gone.at
        FROM (
          SELECT k.at
          FROM idempotency_transitions AS k
          WHERE k.to_state = 'ABSENT' AND {no_record}
          ORDER BY k.seq
          LIMIT 1
        ) AS gone
        UNION ALL
        SELECT run.at
        FROM (
          SELECT j.at
          FROM (
            SELECT n.seq, n.at, lag(n.seq) OVER (ORDER BY n.seq) AS before
            FROM (SELECT seq, at FROM idempotency_transitions ORDER BY seq DESC LIMIT 200000) AS n
          ) AS j
          WHERE j.before IS NULL OR j.seq > j.before + 1
          ORDER BY j.seq DESC
          LIMIT 1
        ) AS run
      ) AS whole)
