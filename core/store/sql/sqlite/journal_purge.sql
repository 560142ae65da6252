-- The history of a record that is still there stays whole.
DELETE FROM idempotency_transitions
WHERE seq > :after AND seq <= :upto AND at <= :now - :retention
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_records AS r
    WHERE (r.scope, r.operation_type, r.idempotency_key) = (idempotency_transitions.scope,
      idempotency_transitions.operation_type, idempotency_transitions.idempotency_key))
