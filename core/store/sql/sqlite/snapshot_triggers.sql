SELECT name, tbl_name
FROM sqlite_master
WHERE type = 'trigger'
ORDER BY name
LIMIT 1
