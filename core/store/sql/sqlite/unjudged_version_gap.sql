SELECT count(*)
FROM (SELECT 1 FROM {version_gaps} AS i WHERE i.known = 0 LIMIT :most) AS u
