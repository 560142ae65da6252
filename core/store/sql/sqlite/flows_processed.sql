SELECT count(*), min(processed_at), max(processed_at)
FROM inbox_messages
WHERE status = 'PROCESSED' AND processed_at >= :from AND processed_at < :until
