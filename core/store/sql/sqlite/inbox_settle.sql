UPDATE inbox_messages
SET status = 'PROCESSED', processed_at = :now, result = :result, lease_expires_at = NULL
WHERE consumer = :consumer AND source = :source AND event_id = :event_id AND status = 'PROCESSING' AND owner = :owner
