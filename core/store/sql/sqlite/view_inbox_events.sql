CREATE VIEW IF NOT EXISTS inbox_events AS
SELECT event_id, source, lower(hex(payload_hash)) AS payload_hash, received_at, processed_at, result
FROM inbox_messages
