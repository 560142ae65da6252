SELECT id, kind, destination, payload IS NOT NULL, attempts
FROM dead_letters
WHERE id IN ({letters})
