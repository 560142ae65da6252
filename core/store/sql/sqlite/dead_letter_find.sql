SELECT {dead_letter}
FROM dead_letters
WHERE id = :id
