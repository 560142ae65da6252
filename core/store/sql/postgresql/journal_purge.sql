-- The history of a record that is still there stays whole, and of what goes the last that says so (:keep), which shows
-- how far the journal was purged. That of the stretch before (:kept) is not needed any more.
DELETE FROM idempotency_transitions AS t
WHERE t.seq = :kept
  OR (t.seq > :after AND t.seq <= :upto AND t.seq <> :keep AND t.at <= {now} - :retention * interval '1 microsecond'
    AND NOT EXISTS (
      SELECT 1
      FROM idempotency_records AS r
      WHERE (r.scope, r.operation_type, r.idempotency_key) = (t.scope, t.operation_type, t.idempotency_key)))
