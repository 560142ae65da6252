-- The history of a record that is still there stays whole, and the last entry of all, so that a gap is seen before it.
DELETE FROM idempotency_transitions AS t
WHERE t.seq > :after AND t.seq <= :upto AND t.at <= {now} - :retention * interval '1 microsecond'
  AND t.seq < (SELECT max(l.seq) FROM idempotency_transitions AS l)
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_records AS r
    WHERE (r.scope, r.operation_type, r.idempotency_key) = (t.scope, t.operation_type, t.idempotency_key))
