-- Whoever knows an event under an id: an inbox by its consumer, the outbox by its destination. The same copy may be on
-- its way to another destination.
SELECT 'the inbox of ' || consumer || ' has it as ' || status
FROM inbox_messages
WHERE event_id = :event_id AND (payload_hash <> :payload_hash OR NOT EXISTS (
  SELECT 1
  FROM outbox_messages AS o
  WHERE o.event_id = :event_id AND o.destination <> :destination))
UNION ALL
SELECT 'the outbox has it as ' || status
FROM outbox_messages
WHERE event_id = :event_id AND (destination = :destination OR payload <> :payload)
LIMIT 1
