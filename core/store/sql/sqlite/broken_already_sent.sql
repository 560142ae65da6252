SELECT l.event_id, l.id, '', '', o.sent_at, NULL
FROM dead_letters AS l
JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination AND o.source = l.source
WHERE l.state = 'DEAD' AND l.kind = 'outbox' AND o.status = 'SENT'
LIMIT :most
