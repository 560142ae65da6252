-- Some of them are of another request that had the key before, which a look at the record tells. What was taken back has
-- been said so by whoever failed the record.
SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, NULL
FROM idempotency_records AS r
WHERE r.status = 'FAILED_FINAL' AND EXISTS (
    SELECT 1
    FROM outbound_calls AS k
    WHERE k.scope = r.scope AND k.operation_type = r.operation_type AND k.idempotency_key = r.idempotency_key
      AND k.state = 'DONE')
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_transitions AS t
    WHERE t.scope = r.scope AND t.operation_type = r.operation_type AND t.idempotency_key = r.idempotency_key
      AND t.to_state = 'FAILED_FINAL' AND t.at >= r.started_at AND t.reason LIKE '%taken back: %')
LIMIT :most
