-- The latest event of its ordering key that comes behind it and was sent.
SELECT l.id, (
    SELECT a.event_id
    FROM outbox_messages AS a
    WHERE a.destination = o.destination AND a.ordering_key = o.ordering_key AND a.ordering_key IS NOT NULL AND a.seq > o.seq
      AND a.status = 'SENT'
    ORDER BY a.seq DESC
    LIMIT 1
  )
FROM dead_letters AS l
JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination
WHERE l.id IN ({letters}) AND l.kind <> 'conflict' AND o.ordering_key IS NOT NULL
