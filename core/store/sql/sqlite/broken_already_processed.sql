SELECT l.event_id, l.id, '', '', i.processed_at, i.consumer
FROM dead_letters AS l
JOIN inbox_messages AS i ON i.event_id = l.event_id
WHERE l.state = 'DEAD' AND l.kind <> 'conflict' AND i.status = 'PROCESSED' AND i.source = l.source
  AND (l.kind = 'outbox' OR i.consumer = l.consumer)
LIMIT :most
