SELECT {outbox}
FROM outbox_messages
WHERE event_id = :event_id AND destination = :destination
