CREATE INDEX outbox_messages_ordering ON outbox_messages (destination, ordering_key, seq)
WHERE ordering_key IS NOT NULL AND status <> 'SENT' AND discarded_at IS NULL
