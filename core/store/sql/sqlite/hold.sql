-- Row 13.
UPDATE idempotency_records
SET previous_status = {shown},
  hold = 1,
  hold_reason = :reason,
  hold_by = :by,
  updated_at = :now
WHERE {key}
  AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence
RETURNING 1 AS won, updated_at AS now, {record}, previous_status
