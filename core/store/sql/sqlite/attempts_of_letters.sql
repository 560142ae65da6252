SELECT event_id, CASE WHEN kind = 'outbox' THEN destination ELSE consumer END, attempts
FROM dead_letters
WHERE dead_at >= :from AND kind = :kind AND first_at < :until
LIMIT :most
