-- The history of a record that is still there stays whole, and of what goes the last that says so (:keep), which shows
-- how far the journal was purged. That of the stretch before (:kept) is not needed any more.
DELETE FROM idempotency_transitions
WHERE seq = :kept
  OR (seq > :after AND seq <= :upto AND seq <> :keep AND at <= :now - :retention
    AND NOT EXISTS (
      SELECT 1
      FROM idempotency_records AS r
      WHERE (r.scope, r.operation_type, r.idempotency_key) = (idempotency_transitions.scope,
        idempotency_transitions.operation_type, idempotency_transitions.idempotency_key)))
