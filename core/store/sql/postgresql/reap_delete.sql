WITH settled AS (
    {settled}
      AND COALESCE(tombstone_until <= {now}, TRUE) AND (:tombstone::bigint IS NULL OR tombstone_until IS NOT NULL)
    {settled_order}
), gone AS (
  DELETE FROM idempotency_records AS r
  USING settled
  WHERE (r.scope, r.operation_type, r.idempotency_key)
    = (settled.scope, settled.operation_type, settled.idempotency_key)
  RETURNING r.scope, r.operation_type, r.idempotency_key, r.fence, r.attempt, r.owner_execution_id, settled.now
), forgotten AS (
  DELETE FROM idempotency_conflicts AS c
  USING gone
  WHERE (c.scope, c.operation_type, c.idempotency_key) = (gone.scope, gone.operation_type, gone.idempotency_key)
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, 'EXPIRED', 'ABSENT', 'reap', fence, attempt, owner_execution_id::text,
    'reaper', 'reaped', now
  FROM gone
)
SELECT count(*), max(fence)
FROM gone
