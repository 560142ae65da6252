SELECT o.event_id, CAST(o.seq AS TEXT), '', '', o.created_at, o.ordering_key, (
    SELECT min(l.id)
    FROM dead_letters AS l
    WHERE l.kind = 'outbox' AND l.state = 'DEAD' AND l.event_id = o.event_id AND l.destination = o.destination
      AND l.source = o.source)
FROM outbox_messages AS o
WHERE o.status = 'DEAD' AND o.discarded_at IS NULL AND o.ordering_key IS NOT NULL AND EXISTS (
  SELECT 1
  FROM outbox_messages AS w
  WHERE w.destination = o.destination AND w.ordering_key = o.ordering_key AND w.ordering_key IS NOT NULL AND w.seq > o.seq
    AND w.status <> 'SENT' AND w.status <> 'DEAD' AND w.discarded_at IS NULL)
LIMIT :most
