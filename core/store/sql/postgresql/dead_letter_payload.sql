SELECT payload
FROM dead_letters
WHERE id = :id
