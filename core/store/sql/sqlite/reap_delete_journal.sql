{journal}
SELECT scope, operation_type, idempotency_key, 'EXPIRED', 'ABSENT', 'reap', fence, attempt, owner_execution_id, 'reaper',
  'reaped', :now
FROM idempotency_records
WHERE (scope, operation_type, idempotency_key) IN (
  {settled} AND COALESCE(tombstone_until <= :now, 1) AND (:tombstone IS NULL OR tombstone_until IS NOT NULL)
  {settled_order}
)
RETURNING 1, fence
