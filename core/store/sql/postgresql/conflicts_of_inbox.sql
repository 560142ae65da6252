SELECT l.consumer, l.source, l.event_id, l.payload_hash, 'mismatch', l.source, l.deaths, l.first_at, l.dead_at,
  i.payload_hash, i.status
FROM dead_letters AS l
LEFT JOIN inbox_messages AS i ON i.consumer = l.consumer AND i.source = l.source AND i.event_id = l.event_id
WHERE l.kind = 'conflict' AND l.dead_at >= :from AND l.first_at < :until
ORDER BY l.dead_at DESC, l.id
LIMIT :most
