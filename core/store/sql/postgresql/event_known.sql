-- Whoever knows an event under an id: an inbox by its consumer, the outbox by its destination.
SELECT 'the inbox of ' || consumer || ' has it as ' || status
FROM inbox_messages
WHERE event_id = :event_id
UNION ALL
SELECT 'the outbox has it as ' || status
FROM outbox_messages
WHERE event_id = :event_id
LIMIT 1
