-- With the earliest event of its ordering key that comes before it and was not sent.
SELECT l.id, o.status = 'SENDING' AND COALESCE(o.lease_expires_at > :now, 0),
  (
    SELECT b.event_id
    FROM outbox_messages AS b
    WHERE b.destination = o.destination AND b.ordering_key = o.ordering_key AND b.ordering_key IS NOT NULL AND b.seq < o.seq
      AND b.status <> 'SENT' AND b.discarded_at IS NULL
    ORDER BY b.seq
    LIMIT 1
  )
FROM dead_letters AS l
JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination AND o.source = l.source
WHERE l.id IN ({letters}) AND l.kind <> 'conflict'
