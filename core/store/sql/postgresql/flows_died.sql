SELECT kind, count(*), min(dead_at), max(dead_at)
FROM dead_letters
WHERE dead_at >= :from AND dead_at < :until AND kind <> 'conflict'
GROUP BY kind
