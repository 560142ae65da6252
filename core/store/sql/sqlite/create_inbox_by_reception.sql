CREATE INDEX inbox_messages_received ON inbox_messages (received_at, consumer, source, event_id)
