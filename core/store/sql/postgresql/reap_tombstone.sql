-- The record itself is the tombstone: a side table would race with a reservation.
WITH settled AS (
    {settled}
      AND tombstone_until IS NULL
    {settled_order}
), entombed AS (
  UPDATE idempotency_records AS r
  SET response_body = NULL,
    response_headers = NULL,
    request_body = NULL,
    request_headers = NULL,
    recovery_data = NULL,
    previous_status = 'EXPIRED',
    tombstone_until = settled.now + :tombstone * interval '1 microsecond',
    updated_at = settled.now
  FROM settled
  WHERE (r.scope, r.operation_type, r.idempotency_key)
    = (settled.scope, settled.operation_type, settled.idempotency_key)
  RETURNING r.scope, r.operation_type, r.idempotency_key, r.fence, r.attempt, r.owner_execution_id, r.updated_at
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, 'EXPIRED', 'EXPIRED', 'reap', fence, attempt,
    owner_execution_id::text, 'reaper', 'tombstone', updated_at
  FROM entombed
)
SELECT count(*), max(fence)
FROM entombed
