SELECT l.id, o.status = 'SENDING' AND COALESCE(o.lease_expires_at > :now, 0)
FROM dead_letters AS l
JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination
WHERE l.id IN ({letters}) AND l.kind <> 'conflict'
