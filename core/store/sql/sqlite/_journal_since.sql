(
      SELECT j.at
      FROM (
        SELECT n.seq, n.at, lag(n.seq) OVER (ORDER BY n.seq) AS before
        FROM (SELECT seq, at FROM idempotency_transitions ORDER BY seq DESC LIMIT 500000) AS n
      ) AS j
      WHERE j.before IS NULL OR j.seq > j.before + 1
      ORDER BY j.seq DESC
      LIMIT 1)
