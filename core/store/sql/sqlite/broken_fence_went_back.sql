-- Of the newest entries only: the whole journal is larger than all that is looked at here. Who took a record over has a
-- higher fence than everybody before, and who is refused while it works is told the fence of who has it, but begins no
-- attempt.
-- Above all of them it is sound again.
WITH journal AS MATERIALIZED (
  SELECT scope, operation_type, idempotency_key, from_state, to_state, event, fence, attempt, at,
    max(fence) OVER earlier AS highest, max(attempt) OVER earlier AS attempts
  FROM (SELECT * FROM idempotency_transitions ORDER BY seq DESC LIMIT 200000) AS newest
  WINDOW earlier AS (PARTITION BY scope, operation_type, idempotency_key ORDER BY seq
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT b.idempotency_key, b.scope, b.operation_type, b.idempotency_key, max(b.at), max(b.words),
  max(CASE WHEN b.status = 'IN_PROGRESS' THEN 'yes' END)
FROM (
  SELECT r.scope, r.operation_type, r.idempotency_key, r.updated_at AS at, r.fence || ' after ' || j.fence AS words, r.status
  FROM journal AS j
  JOIN idempotency_records AS r ON r.scope = j.scope AND r.operation_type = j.operation_type
    AND r.idempotency_key = j.idempotency_key
  WHERE j.fence > r.fence
  UNION ALL
  SELECT j.scope, j.operation_type, j.idempotency_key, j.at, j.fence || ' drawn after ' || j.highest, r.status
  FROM journal AS j
  JOIN idempotency_records AS r ON r.scope = j.scope AND r.operation_type = j.operation_type
    AND r.idempotency_key = j.idempotency_key
  WHERE j.event = 'reserve' AND j.to_state = 'IN_PROGRESS' AND j.fence > 0
    AND (j.fence < j.highest OR (j.fence = j.highest
      AND (j.from_state <> 'IN_PROGRESS' OR j.attempt > j.attempts))) AND r.fence <= j.highest
) AS b
GROUP BY b.scope, b.operation_type, b.idempotency_key
LIMIT :most
