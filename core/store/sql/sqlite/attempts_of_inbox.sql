SELECT event_id, consumer, attempts, attempt, status
FROM inbox_messages
WHERE received_at >= :since AND received_at < :until AND attempts <> '[]' AND status <> 'DEAD'
LIMIT :most
