SELECT consumer, attempts, attempt, CASE WHEN status = 'PROCESSED' THEN processed_at END
FROM inbox_messages
WHERE received_at >= :since AND received_at < :until AND attempts <> '[]'
LIMIT :most
