-- Who is refused, waits or is answered from the record changes nothing: the record is where the line before has left it,
-- and the entry is called after what became of the request, so that it is taken for no attempt and no takeover. A record
-- has one correlation id: where the requests under its key had several, each entry tells its own.
-- An execution begins where the record comes to be in progress, and where it is so already, with a higher attempt, which
-- a log without attempts tells by another fence, and one without fences by another owner.
SELECT row_number() OVER (ORDER BY at, line), scope, operation_type, idempotency_key, before_state, after_state,
  coalesce(event, ''), coalesce(fence, 0), coalesce(attempt, 0), coalesce(owner, ''), '',
  substr(coalesce(': ' || outcome, '') || coalesce(': ' || error_code, '') || coalesce(': ' || note, '')
    || CASE WHEN several THEN coalesce(': correlation_id=' || correlation_id, '') ELSE '' END, 3), at,
  coalesce(outcome, ''),
  CASE
    WHEN unchanged OR before_state = 'HELD' THEN 0
    WHEN after_state = 'UNKNOWN' THEN outcome IS 'taken_over'
    WHEN after_state <> 'IN_PROGRESS' THEN 0
    WHEN before_state NOT IN ('IN_PROGRESS', 'UNKNOWN') OR outcome IN ('created', 'taken_over', 'execute') THEN 1
    WHEN before_state = 'UNKNOWN' AND told_before IS NOT 'IN_PROGRESS' THEN 1
    WHEN attempt IS NOT NULL AND attempt_before IS NOT NULL THEN attempt > attempt_before
    WHEN fence IS NOT NULL AND fence_before IS NOT NULL THEN fence <> fence_before
    ELSE owner IS NOT NULL AND owner_before IS NOT NULL AND owner <> owner_before
  END,
  coalesce(told_before, 'UNKNOWN')
FROM (
  SELECT *,
    coalesce(from_state, CASE WHEN unchanged THEN coalesce(to_state, known) END, 'UNKNOWN') AS before_state,
    coalesce(told, CASE WHEN unchanged THEN coalesce(from_state, known) END, 'UNKNOWN') AS after_state
  FROM (
    SELECT *, min(correlation_id) OVER one_key IS NOT max(correlation_id) OVER one_key AS several,
      coalesce(status, max(told) OVER (PARTITION BY scope, operation_type, idempotency_key, lives)) AS known,
      lag(told) OVER changes AS told_before, lag(attempt) OVER changes AS attempt_before,
      lag(fence) OVER changes AS fence_before, lag(owner) OVER changes AS owner_before
    FROM (
      SELECT *, count(told) OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS lives
      FROM (
        SELECT *, coalesce(to_state, CASE WHEN NOT unchanged THEN status END) AS told
        FROM (
          SELECT *, coalesce(outcome IN ('conflict', 'in_progress', 'fenced', 'replayed')
            OR (outcome IN ('held', 'expired') AND coalesce(event, 'reserve') = 'reserve'), 0)
            AND coalesce(from_state = to_state, 1) AS unchanged
          FROM temp.imported
        )
      )
    )
    WINDOW one_key AS (PARTITION BY scope, operation_type, idempotency_key),
      changes AS (PARTITION BY scope, operation_type, idempotency_key, unchanged ORDER BY at, line)
  )
)
ORDER BY at, line
