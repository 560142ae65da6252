SELECT o.event_id, CAST(o.seq AS TEXT), '', '', o.created_at, o.idempotency_key
FROM outbox_messages AS o
WHERE o.idempotency_key IS NOT NULL
  AND o.created_at > (SELECT t.at FROM idempotency_transitions AS t ORDER BY t.seq LIMIT 1)
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_records AS r
    WHERE r.scope = o.scope AND r.operation_type = o.operation_type AND r.idempotency_key = o.idempotency_key)
  AND NOT EXISTS (
    SELECT 1
    FROM idempotency_transitions AS j
    WHERE j.scope = o.scope AND j.operation_type = o.operation_type AND j.idempotency_key = o.idempotency_key)
LIMIT :most
