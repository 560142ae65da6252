CREATE OR REPLACE VIEW inbox_events AS
SELECT event_id, source, encode(payload_hash, 'hex') AS payload_hash, received_at, processed_at, result
FROM inbox_messages
