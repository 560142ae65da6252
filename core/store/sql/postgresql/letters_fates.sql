SELECT l.id, l.kind, l.state, l.deaths, l.run_id, o.status, COALESCE(o.attempt > 0, FALSE),
  CASE WHEN o.attempts <> '' THEN (o.attempts::json -> -1) ->> 'code' END,
  (SELECT count(*) FROM inbox_messages AS i WHERE i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)),
  (SELECT count(*) FROM inbox_messages AS i WHERE i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)
    AND i.status = 'PROCESSED'),
  (SELECT count(*) FROM inbox_messages AS i WHERE i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)
    AND i.status = 'DEAD'),
  (SELECT count(*) FROM inbox_messages AS i WHERE i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)
    AND i.status = 'FAILED'),
  l.kind = 'outbox' AND ({goes_elsewhere})
FROM dead_letters AS l
LEFT JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination
WHERE l.id IN ({letters})
