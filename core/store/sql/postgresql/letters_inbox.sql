-- Of its consumer where that is known, else of all of them.
SELECT l.id, i.consumer, i.status, COALESCE(i.lease_expires_at > {now}, FALSE), i.payload_hash = l.payload_hash
FROM dead_letters AS l
JOIN inbox_messages AS i ON i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)
WHERE l.id IN ({letters})
ORDER BY l.id, i.consumer
