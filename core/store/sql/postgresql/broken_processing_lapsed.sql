SELECT i.event_id, i.consumer, i.source, i.event_id, i.lease_expires_at, NULL
FROM inbox_messages AS i
WHERE i.status = 'PROCESSING' AND i.lease_expires_at <= :now
LIMIT :most
