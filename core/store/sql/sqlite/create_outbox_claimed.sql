CREATE INDEX outbox_messages_claimed ON outbox_messages (lease_expires_at, seq) WHERE status = 'SENDING'
