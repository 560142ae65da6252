SELECT i.event_id, i.consumer, i.source, i.event_id, i.received_at, NULL
FROM inbox_messages AS i
WHERE i.status = 'PROCESSED' AND (i.result IS NULL OR i.processed_at IS NULL)
LIMIT :most
