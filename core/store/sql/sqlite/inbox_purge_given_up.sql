-- Behind the dedupe window: what died and was given up for good, whose letter says so.
DELETE FROM inbox_messages
WHERE (consumer, source, event_id) IN (
  SELECT i.consumer, i.source, i.event_id
  FROM dead_letters AS l
  JOIN inbox_messages AS i ON i.event_id = l.event_id AND i.consumer = l.consumer AND i.source = l.source
  WHERE l.kind = 'inbox' AND l.state = 'DISCARDED' AND l.settled_at <= :now - :retention AND i.status = 'DEAD'
  LIMIT :batch
)
