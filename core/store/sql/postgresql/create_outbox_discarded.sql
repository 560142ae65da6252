CREATE INDEX outbox_messages_discarded ON outbox_messages (discarded_at) WHERE discarded_at IS NOT NULL
