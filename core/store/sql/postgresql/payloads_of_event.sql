SELECT payload
FROM outbox_messages
WHERE event_id = :event_id AND source = :source
ORDER BY seq
LIMIT 10
