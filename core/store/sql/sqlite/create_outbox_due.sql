CREATE INDEX outbox_messages_due ON outbox_messages (next_attempt_at, seq) WHERE status = 'PENDING'
