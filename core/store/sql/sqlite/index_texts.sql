SELECT name, sql FROM sqlite_master
WHERE type = 'index' AND sql IS NOT NULL
ORDER BY rowid
