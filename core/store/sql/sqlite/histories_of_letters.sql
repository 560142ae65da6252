SELECT CASE WHEN kind = 'outbox' THEN destination ELSE consumer END, attempts, 0, NULL
FROM dead_letters
WHERE dead_at >= :from AND kind IN ('inbox', 'outbox') AND first_at < :until
LIMIT :most
