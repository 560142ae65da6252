SELECT event_id, max(received_at)
FROM inbox_messages
WHERE received_at >= :from AND received_at < :until
GROUP BY event_id
ORDER BY max(received_at) DESC
LIMIT :most
