-- The record itself is the tombstone: a side table would race with a reservation.
UPDATE idempotency_records
SET response_body = NULL,
  response_headers = NULL,
  request_body = NULL,
  request_headers = NULL,
  recovery_data = NULL,
  previous_status = 'EXPIRED',
  tombstone_until = :now + :tombstone,
  updated_at = :now
WHERE (scope, operation_type, idempotency_key) IN (
  {settled} AND tombstone_until IS NULL
  {settled_order}
)
