SELECT event_id, max(processed_at)
FROM inbox_messages
WHERE status = 'PROCESSED' AND processed_at >= :from AND processed_at < :until
GROUP BY event_id
ORDER BY max(processed_at) DESC
LIMIT :most
