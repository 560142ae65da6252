-- The history of a record that is still there stays whole, and the last entry of all, so that a gap is seen before it.
DELETE FROM idempotency_transitions
WHERE seq > :after AND seq <= :upto AND at <= :now - :retention
  AND seq < (SELECT max(l.seq) FROM idempotency_transitions AS l)
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_records AS r
    WHERE (r.scope, r.operation_type, r.idempotency_key) = (idempotency_transitions.scope,
      idempotency_transitions.operation_type, idempotency_transitions.idempotency_key))
