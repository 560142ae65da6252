SELECT count(*), min(created_at), max(created_at)
FROM outbox_messages
WHERE created_at >= :from AND created_at < :until
