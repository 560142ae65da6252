-- Rows 10 and 11. No row: the owner or its fence is no longer the record's.
WITH up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    status = :status,
    {outcome},
    completed_at = clock.now,
    not_before = NULL,
    expires_at = GREATEST(r.expires_at,
      clock.now + COALESCE(:ttl * interval '1 microsecond', r.expires_at - r.started_at)),
    hold = FALSE,
    hold_reason = NULL,
    hold_by = NULL,
    updated_at = clock.now
  FROM (SELECT {now} AS now) AS clock
  WHERE {key}
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = :owner::uuid AND r.fence = :fence
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, previous_status, {shown_after}, :event, fence, attempt,
    owner_execution_id::text, owner_execution_id::text, :reason, updated_at
  FROM up
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
