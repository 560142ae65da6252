INSERT INTO temp.closure (link, followed, a, b, c)
VALUES (:link, 0, :a, :b, :c)
ON CONFLICT DO NOTHING
