UPDATE temp.closure SET followed = 1
WHERE link = :link AND a = :a AND b = :b AND c = :c
