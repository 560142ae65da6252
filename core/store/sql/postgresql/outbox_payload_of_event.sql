SELECT seq, payload
FROM outbox_messages
WHERE event_id = :event_id AND destination = :destination
