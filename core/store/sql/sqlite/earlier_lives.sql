SELECT kind, attempts
FROM dead_letters
WHERE dead_at >= :from AND first_at < :until AND deaths > 1 AND kind <> 'conflict'
LIMIT :most
