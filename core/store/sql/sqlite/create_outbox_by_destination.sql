-- What is due to one destination, whatever the others are owed.
CREATE INDEX outbox_messages_destination ON outbox_messages (destination, next_attempt_at, seq) WHERE status = 'PENDING'
