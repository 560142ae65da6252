CREATE INDEX inbox_messages_event ON inbox_messages (event_id)
