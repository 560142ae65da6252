-- Who is refused, waits or is answered from the record changes nothing: the record is where the line before has left it,
-- and the entry is called after what became of the request, so that it is taken for no attempt and no takeover. A record
-- has one correlation id: where the requests under its key had several, each entry tells its own.
SELECT row_number() OVER (ORDER BY at, line), scope, operation_type, idempotency_key, before_state, after_state,
  CASE WHEN outcome = 'conflict' THEN 'mismatch'
    WHEN outcome IN ('fenced', 'in_progress', 'replayed', 'held', 'expired') AND before_state = after_state THEN outcome
    ELSE coalesce(event, 'unknown') END,
  coalesce(fence, 0), coalesce(attempt, 0), coalesce(owner, ''), '',
  substr(coalesce(': ' || outcome, '') || coalesce(': ' || error_code, '') || coalesce(': ' || note, '')
    || CASE WHEN several THEN coalesce(': correlation_id=' || correlation_id, '') ELSE '' END, 3), at
FROM (
  SELECT *,
    coalesce(from_state, CASE WHEN unchanged THEN coalesce(to_state, known) END, 'UNKNOWN') AS before_state,
    coalesce(to_state, CASE WHEN unchanged THEN coalesce(from_state, known) END, 'UNKNOWN') AS after_state
  FROM (
    SELECT *, min(correlation_id) OVER one_key IS NOT max(correlation_id) OVER one_key AS several,
      outcome IN ('conflict', 'in_progress', 'fenced', 'replayed')
        OR (outcome IN ('held', 'expired') AND coalesce(event, 'reserve') = 'reserve') AS unchanged,
      coalesce(status, max(to_state) OVER (PARTITION BY scope, operation_type, idempotency_key, lives)) AS known
    FROM (
      SELECT *, count(to_state) OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS lives
      FROM temp.imported
    )
    WINDOW one_key AS (PARTITION BY scope, operation_type, idempotency_key)
  )
)
ORDER BY at, line
