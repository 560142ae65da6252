INSERT INTO inbox_messages (consumer, source, event_id, dedupe_key, payload_hash, status, received_at, correlation_id)
VALUES (:consumer, :source, :event_id, :dedupe_key, :payload_hash, 'RECEIVED', :now, :correlation_id)
ON CONFLICT (consumer, source, event_id) DO NOTHING
