CREATE INDEX inbox_messages_correlation ON inbox_messages (correlation_id) WHERE correlation_id IS NOT NULL
