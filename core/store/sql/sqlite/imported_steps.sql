-- Who is refused, waits or is answered from the record changes nothing: the record is where the line before has left it.
-- An execution begins where the record comes to be in progress, and where it is so already, with a higher attempt, which
-- a log without attempts tells by another fence, and one without fences by another owner.
UPDATE temp.imported
SET before_state = s.before_state, after_state = s.after_state, told_before = s.told_before, several = s.several,
  begins = CASE
    WHEN s.unchanged OR s.before_state = 'HELD' OR s.event IN ('renew', 'advance', 'operator_fence') THEN 0
    WHEN s.after_state = 'UNKNOWN' THEN s.outcome IS 'taken_over' OR (s.event IS 'reserve' AND s.outcome IS 'created')
    WHEN s.after_state <> 'IN_PROGRESS' THEN 0
    WHEN s.before_state NOT IN ('IN_PROGRESS', 'UNKNOWN') OR s.outcome IN ('created', 'taken_over', 'execute') THEN 1
    WHEN s.before_state = 'UNKNOWN' AND s.told_before IS NOT 'IN_PROGRESS' THEN 1
    WHEN s.attempt IS NOT NULL AND s.attempt_before IS NOT NULL THEN s.attempt > s.attempt_before
    WHEN s.fence IS NOT NULL AND s.fence_before IS NOT NULL THEN s.fence <> s.fence_before
    ELSE s.owner IS NOT NULL AND s.owner_before IS NOT NULL AND s.owner <> s.owner_before
  END
FROM (
  SELECT *,
    coalesce(from_state, CASE WHEN unchanged THEN coalesce(to_state, known) END, 'UNKNOWN') AS before_state,
    coalesce(told, CASE WHEN unchanged THEN coalesce(from_state, known) END, 'UNKNOWN') AS after_state
  FROM (
    SELECT line, unchanged, told, from_state, to_state, event, outcome, attempt, fence, owner,
      min(correlation_id) OVER one_key IS NOT max(correlation_id) OVER one_key AS several,
      coalesce(status, max(told) OVER (PARTITION BY scope, operation_type, idempotency_key, lives)) AS known,
      lag(told) OVER changes AS told_before, lag(attempt) OVER changes AS attempt_before,
      lag(fence) OVER changes AS fence_before, lag(owner) OVER changes AS owner_before
    FROM (
      SELECT *, count(told) OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS lives
      FROM (
        SELECT *, coalesce(to_state, CASE WHEN NOT unchanged THEN status END) AS told
        FROM (
          SELECT line, scope, operation_type, idempotency_key, at, event, status, from_state, to_state, outcome, attempt,
            fence, owner, correlation_id,
            coalesce(outcome IN ('conflict', 'in_progress', 'replayed')
              OR (outcome = 'fenced' AND coalesce(event, '') <> 'operator_fence')
              OR (outcome IN ('held', 'expired') AND coalesce(event, 'reserve') = 'reserve'), 0)
              AND coalesce(from_state = to_state, 1) AS unchanged
          FROM temp.imported
        )
      )
    )
    WINDOW one_key AS (PARTITION BY scope, operation_type, idempotency_key),
      changes AS (PARTITION BY scope, operation_type, idempotency_key, unchanged ORDER BY at, line)
  )
) AS s
WHERE s.line = imported.line
