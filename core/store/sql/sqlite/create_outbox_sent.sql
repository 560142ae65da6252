CREATE INDEX outbox_messages_sent ON outbox_messages (sent_at) WHERE status = 'SENT'
