-- Who is refused, waits or is answered from the record changes nothing: the record is where the line before has left it.
-- An execution begins where the record comes to be in progress, and where it is so already, with a higher attempt, which
-- a log without attempts tells by another fence, and one without fences by another owner, than was told last.
UPDATE temp.imported
SET before_state = s.before_state, after_state = s.after_state, told_before = s.told_before, kept = s.kept,
  several = s.several,
  begins = CASE
    WHEN s.unchanged OR s.held OR s.event IN ('renew', 'advance', 'operator_fence', 'operator_resolve') THEN 0
    WHEN s.after_state = 'UNKNOWN' THEN s.outcome IS 'taken_over' OR (s.event IS 'reserve' AND s.outcome IS 'created')
    WHEN s.after_state <> 'IN_PROGRESS' THEN 0
    WHEN s.before_state NOT IN ('IN_PROGRESS', 'UNKNOWN') OR s.event IS 'reserve'
      OR s.outcome IN ('created', 'taken_over', 'execute') THEN 1
    WHEN s.before_state = 'UNKNOWN' AND s.told_before IS NOT 'IN_PROGRESS' THEN 1
    WHEN s.attempt IS NOT NULL AND s.attempt_before IS NOT NULL THEN s.attempt > s.attempt_before
    WHEN s.fence IS NOT NULL AND s.fence_before IS NOT NULL THEN s.fence <> s.fence_before
    ELSE s.owner IS NOT NULL AND s.owner_before IS NOT NULL AND s.owner <> s.owner_before
  END
FROM (
  SELECT *,
    coalesce(from_state, CASE WHEN unchanged THEN coalesce(to_state, known) END, 'UNKNOWN') AS before_state,
    coalesce(told, CASE WHEN unchanged THEN coalesce(from_state, known) END, 'UNKNOWN') AS after_state,
    coalesce(from_state, told_before, '') = 'HELD' AS held
  FROM (
    SELECT line, unchanged, told, from_state, to_state, event, outcome, attempt, fence, owner, several, known,
      lag(told) OVER changes AS told_before, lag(last_attempt) OVER changes AS attempt_before,
      lag(last_fence) OVER changes AS fence_before, lag(last_owner) OVER changes AS owner_before,
      coalesce(CASE WHEN from_state NOT IN ('ABSENT', 'HELD', 'EXPIRED', 'UNKNOWN') THEN from_state END,
        lag(last_stored) OVER changes) AS kept
    FROM (
      SELECT *, min(correlation_id) OVER one_key IS NOT max(correlation_id) OVER one_key AS several,
        coalesce(status, max(told) OVER (PARTITION BY scope, operation_type, idempotency_key, lives)) AS known,
        max(attempt) OVER (PARTITION BY scope, operation_type, idempotency_key, unchanged, attempts) AS last_attempt,
        max(fence) OVER (PARTITION BY scope, operation_type, idempotency_key, unchanged, fences) AS last_fence,
        max(owner) OVER (PARTITION BY scope, operation_type, idempotency_key, unchanged, owners) AS last_owner,
        max(stored) OVER (PARTITION BY scope, operation_type, idempotency_key, unchanged, stores) AS last_stored
      FROM (
        SELECT *, count(told) OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS lives,
          count(attempt) OVER changes AS attempts, count(fence) OVER changes AS fences,
          count(owner) OVER changes AS owners, count(stored) OVER changes AS stores
        FROM (
          SELECT *, CASE WHEN told NOT IN ('ABSENT', 'HELD', 'EXPIRED', 'UNKNOWN') THEN told END AS stored
          FROM (
            SELECT *, coalesce(to_state, CASE WHEN NOT unchanged THEN coalesce(status,
                CASE event WHEN 'finalize' THEN 'SUCCEEDED' END) END) AS told
            FROM (
              SELECT line, scope, operation_type, idempotency_key, at, event, status, from_state, to_state, outcome,
                attempt, fence, owner, correlation_id,
                coalesce(outcome IN ('conflict', 'in_progress', 'replayed')
                  OR (outcome = 'fenced' AND coalesce(event, '') <> 'operator_fence')
                  OR (outcome IN ('held', 'expired') AND (event = 'reserve'
                    OR (event IS NULL AND (to_state IS NULL OR from_state IS NOT NULL)))), 0)
                  AND coalesce(from_state = to_state, 1) AS unchanged
              FROM temp.imported
            )
          )
        )
        WINDOW changes AS (PARTITION BY scope, operation_type, idempotency_key, unchanged ORDER BY at, line)
      )
      WINDOW one_key AS (PARTITION BY scope, operation_type, idempotency_key)
    )
    WINDOW changes AS (PARTITION BY scope, operation_type, idempotency_key, unchanged ORDER BY at, line)
  )
) AS s
WHERE s.line = imported.line
