SELECT count(*), min(received_at), max(received_at)
FROM inbox_messages
WHERE received_at >= :from AND received_at < :until
