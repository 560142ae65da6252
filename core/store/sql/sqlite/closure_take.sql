SELECT a, b, c FROM temp.closure
WHERE link = :link AND followed = 0
LIMIT :limit
