SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at,
  (SELECT min(c.vendor || ' ' || c.operation || COALESCE(' ' || substr(c.ref, 1, 64), ''))
    FROM outbound_calls AS c
    WHERE c.scope = r.scope AND c.operation_type = r.operation_type AND c.idempotency_key = r.idempotency_key
      AND c.state = 'DONE')
FROM idempotency_records AS r
WHERE r.status = 'FAILED_FINAL' AND EXISTS (
  SELECT 1
  FROM outbound_calls AS k
  WHERE k.scope = r.scope AND k.operation_type = r.operation_type AND k.idempotency_key = r.idempotency_key
    AND k.state = 'DONE')
LIMIT :most
