DELETE FROM idempotency_conflicts
WHERE (scope, operation_type, idempotency_key) IN (
  {settled} AND COALESCE(tombstone_until <= :now, 1) AND (:tombstone IS NULL OR tombstone_until IS NOT NULL)
  {settled_order}
)
