SELECT t.idempotency_key, t.scope, t.operation_type, t.idempotency_key, t.at, t.from_state || ' to ' || t.to_state || ' by ' || t.event
FROM (
  SELECT scope, operation_type, idempotency_key, from_state, to_state, event, at
  FROM idempotency_transitions
  ORDER BY seq DESC
  LIMIT 200000
) AS t
WHERE t.from_state = :from_state AND t.to_state = :to_state AND t.event = :event AND EXISTS (
  SELECT 1
  FROM idempotency_records AS r
  WHERE r.scope = t.scope AND r.operation_type = t.operation_type AND r.idempotency_key = t.idempotency_key)
LIMIT :most
