-- Row 8 in time, which is no change of state and not journalled. No row: fenced, held, or late.
WITH up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    lease_expires_at = clock.now + :lease * interval '1 microsecond',
    updated_at = clock.now
  FROM (SELECT {now} AS now) AS clock
  WHERE {key}
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = :owner::uuid AND r.fence = :fence AND NOT r.hold AND r.lease_expires_at > clock.now
  RETURNING r.*
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
