SELECT event_id, max(sent_at)
FROM outbox_messages
WHERE status = 'SENT' AND sent_at >= :from AND sent_at < :until
GROUP BY event_id
ORDER BY max(sent_at) DESC
LIMIT :most
