CREATE INDEX outbox_messages_created ON outbox_messages (created_at, seq)
