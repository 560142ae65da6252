-- The request that wrote the event is none of its consumers. A letter of an inbox names the consumer's own record, whose
-- payload is that of its request and not the event's. Else a record under the event's id is the consumer's where its
-- scope says so, and some consumer's where nobody knows which there are and it is about the same payload: a key alone
-- may be anybody's.
SELECT l.id, r.scope, r.status, COALESCE(r.lease_expires_at > {now}, FALSE), r.hold, r.takeover_policy = 'auto',
  r.expires_at <= {now} AND COALESCE(r.tombstone_until, r.expires_at) <= {now},
  COALESCE(r.payload_hash = l.payload_hash, TRUE),
  (r.scope = l.consumer AND (l.kind <> 'inbox' OR l.idempotency_key IS NULL))
    OR (l.consumer = '' AND COALESCE(r.payload_hash = l.payload_hash, FALSE))
FROM dead_letters AS l
JOIN idempotency_records AS r ON r.idempotency_key = l.event_id
WHERE l.id IN ({letters}) AND (r.scope, r.operation_type, r.idempotency_key) IS DISTINCT FROM (l.scope, l.operation_type, l.idempotency_key)
UNION ALL
SELECT l.id, r.scope, r.status, COALESCE(r.lease_expires_at > {now}, FALSE), r.hold, r.takeover_policy = 'auto',
  r.expires_at <= {now} AND COALESCE(r.tombstone_until, r.expires_at) <= {now}, TRUE, TRUE
FROM dead_letters AS l
JOIN idempotency_records AS r ON r.scope = l.scope AND r.operation_type = l.operation_type
  AND r.idempotency_key = l.idempotency_key
WHERE l.id IN ({letters}) AND l.kind = 'inbox'
ORDER BY 1, 2
