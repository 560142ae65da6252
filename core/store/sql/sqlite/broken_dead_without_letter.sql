SELECT i.event_id, i.consumer, i.source, i.event_id, i.received_at, NULL
FROM inbox_messages AS i
WHERE i.status = 'DEAD' AND NOT EXISTS (
  SELECT 1
  FROM dead_letters AS l
  WHERE l.kind = 'inbox' AND l.event_id = i.event_id AND l.consumer = i.consumer AND l.source = i.source)
LIMIT :most
