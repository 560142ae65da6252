-- Row 13. No row: fenced, or held for this reason already.
WITH up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    hold = TRUE,
    hold_reason = :reason,
    hold_by = :by,
    updated_at = clock.now
  FROM (SELECT {now} AS now) AS clock
  WHERE {key}
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = :owner::uuid AND r.fence = :fence
    AND NOT (r.hold AND r.hold_reason IS NOT DISTINCT FROM :reason)
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, previous_status, {shown_after}, 'hold', fence, attempt,
    owner_execution_id::text, owner_execution_id::text, hold_reason, updated_at
  FROM up
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
