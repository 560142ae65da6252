WITH journal AS MATERIALIZED (
  SELECT n.*, lag(n.seq) OVER (ORDER BY n.seq) AS before
  FROM (
    SELECT seq, scope, operation_type, idempotency_key, to_state, event, fence
    FROM idempotency_transitions
    ORDER BY seq DESC
    LIMIT 200000
  ) AS n
), since AS MATERIALIZED (
  SELECT fence
  FROM journal
  WHERE event = 'reserve' AND seq >= (
    SELECT max(j.seq)
    FROM journal AS j
    WHERE j.before IS NULL OR j.seq > j.before + 1)
  ORDER BY seq
  LIMIT 1
)
