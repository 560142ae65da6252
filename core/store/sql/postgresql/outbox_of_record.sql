SELECT {outbox}
FROM outbox_messages
WHERE scope = :scope AND operation_type = :operation AND idempotency_key = :key
ORDER BY seq
