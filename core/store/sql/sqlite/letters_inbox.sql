-- Of its consumer where that is known, and of the others: its event went to them too.
SELECT l.id, i.consumer, i.status, COALESCE(i.lease_expires_at > :now, 0), i.payload_hash = l.payload_hash,
  l.consumer = '' OR i.consumer = l.consumer
FROM dead_letters AS l
JOIN inbox_messages AS i ON i.event_id = l.event_id AND i.source = l.source
WHERE l.id IN ({letters})
ORDER BY l.id, i.consumer
