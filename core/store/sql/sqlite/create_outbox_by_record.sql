CREATE INDEX outbox_messages_record ON outbox_messages (idempotency_key, scope, operation_type)
WHERE idempotency_key IS NOT NULL
