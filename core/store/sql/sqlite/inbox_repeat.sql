UPDATE inbox_messages
SET receive_count = receive_count + 1
WHERE consumer = :consumer AND source = :source AND event_id = :event_id AND payload_hash = :payload_hash
RETURNING status
