{journal}
SELECT scope, operation_type, idempotency_key, 'EXPIRED', 'EXPIRED', 'reap', fence, attempt, owner_execution_id, 'reaper',
  'tombstone', :now
FROM idempotency_records
WHERE (scope, operation_type, idempotency_key) IN (
  {settled} AND tombstone_until IS NULL
  {settled_order}
)
