SELECT payload
FROM outbox_messages
WHERE seq = :seq
