SELECT count(*), min(sent_at), max(sent_at)
FROM outbox_messages
WHERE status = 'SENT' AND sent_at >= :from AND sent_at < :until
