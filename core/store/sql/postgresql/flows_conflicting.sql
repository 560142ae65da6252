-- Each time that another payload comes under a used id, its letter dies again.
SELECT deaths, first_at, dead_at
FROM dead_letters
WHERE kind = 'conflict' AND dead_at >= :from AND first_at < :until
