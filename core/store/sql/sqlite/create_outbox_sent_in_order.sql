-- What was sent behind an event of its ordering key.
CREATE INDEX IF NOT EXISTS outbox_messages_sent_in_order ON outbox_messages (destination, ordering_key, seq)
WHERE ordering_key IS NOT NULL AND status = 'SENT'
