SELECT event_id, max(created_at)
FROM outbox_messages
WHERE created_at >= :from AND created_at < :until
GROUP BY event_id
ORDER BY max(created_at) DESC
LIMIT :most
