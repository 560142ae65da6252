SELECT payload_hash
FROM inbox_messages
WHERE consumer = :consumer AND source = :source AND event_id = :event_id
