-- Row 9.
UPDATE idempotency_records
SET previous_status = {shown},
  recovery_point = :recovery_point,
  recovery_data = COALESCE(:recovery_data, recovery_data),
  updated_at = :now
WHERE {key}
  AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence
RETURNING 1 AS won, updated_at AS now, {record}, previous_status
