-- Row 9.
WITH up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    recovery_point = :recovery_point,
    recovery_data = COALESCE(:recovery_data::json, r.recovery_data),
    updated_at = clock.now
  FROM (SELECT {now} AS now) AS clock
  WHERE {key}
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = :owner::uuid AND r.fence = :fence
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, previous_status, {shown_after}, 'advance', fence, attempt,
    owner_execution_id::text, owner_execution_id::text, 'recovery point ' || recovery_point, updated_at
  FROM up
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
