-- A call that is older than the record is of another request, which had the key before. What was taken back has been
-- said so by whoever failed the record.
SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at,
  (SELECT min(c.vendor || ' ' || c.operation || COALESCE(' ' || substr(c.ref, 1, 64), ''))
    FROM outbound_calls AS c
    WHERE c.scope = r.scope AND c.operation_type = r.operation_type AND c.idempotency_key = r.idempotency_key
      AND c.state = 'DONE' AND c.created_at >= r.created_at)
FROM idempotency_records AS r
WHERE r.status = 'FAILED_FINAL' AND EXISTS (
    SELECT 1
    FROM outbound_calls AS k
    WHERE k.scope = r.scope AND k.operation_type = r.operation_type AND k.idempotency_key = r.idempotency_key
      AND k.state = 'DONE' AND k.created_at >= r.created_at)
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_transitions AS t
    WHERE t.scope = r.scope AND t.operation_type = r.operation_type AND t.idempotency_key = r.idempotency_key
      AND t.to_state = 'FAILED_FINAL' AND t.at >= r.created_at AND t.reason LIKE '%taken back: %')
LIMIT :most
