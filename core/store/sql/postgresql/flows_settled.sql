SELECT kind, state, count(*), min(settled_at), max(settled_at)
FROM dead_letters
WHERE dead_at < :until AND state <> 'DEAD' AND settled_at >= :from AND settled_at < :until
GROUP BY kind, state
