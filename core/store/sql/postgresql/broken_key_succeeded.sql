-- Of the consumer's own record: that which the letter names, or else whose scope it is and whose key is the event's id. What an outbox letter names is
-- the request that wrote the event, which says nothing of its delivery.
SELECT l.event_id, l.id, '', '', r.updated_at, r.scope || ' ' || r.operation_type || ' ' || r.idempotency_key
FROM dead_letters AS l
JOIN idempotency_records AS r ON r.scope = l.scope AND r.operation_type = l.operation_type
  AND r.idempotency_key = l.idempotency_key
WHERE l.state = 'DEAD' AND l.kind = 'inbox' AND r.status = 'SUCCEEDED'
UNION
SELECT l.event_id, l.id, '', '', r.updated_at, r.scope || ' ' || r.operation_type || ' ' || r.idempotency_key
FROM dead_letters AS l
JOIN idempotency_records AS r ON r.idempotency_key = l.event_id AND r.scope = l.consumer
WHERE l.state = 'DEAD' AND l.kind = 'inbox' AND l.idempotency_key IS NULL AND r.status = 'SUCCEEDED'
LIMIT :most
