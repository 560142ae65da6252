CREATE INDEX outbox_messages_correlation ON outbox_messages (correlation_id) WHERE correlation_id IS NOT NULL
