SELECT o.event_id, CAST(o.seq AS TEXT), '', '', o.created_at, NULL
FROM outbox_messages AS o
WHERE o.status = 'DEAD' AND o.discarded_at IS NULL AND NOT EXISTS (
  SELECT 1
  FROM dead_letters AS l
  WHERE l.event_id = o.event_id AND l.destination = o.destination AND l.source = o.source)
LIMIT :most
