SELECT l.name, l."unique", l.partial, COALESCE(i.name, '')
FROM pragma_index_list(:table) AS l
JOIN pragma_index_xinfo(l.name) AS i ON i.key = 1
ORDER BY l.name, i.seqno
