-- Row 8 in time, which is no change of state and not journalled. No row: fenced, held, or late.
UPDATE idempotency_records
SET previous_status = {shown},
  lease_expires_at = :now + :lease,
  updated_at = :now
WHERE {key}
  AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence AND NOT hold AND lease_expires_at > :now
RETURNING 1 AS won, updated_at AS now, {record}, previous_status
