SELECT {outbox}
FROM outbox_messages
WHERE seq = :seq
