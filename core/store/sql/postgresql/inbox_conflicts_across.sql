-- Those that began before the range or went on after it: not all of their arrivals are within.
SELECT source, deaths, first_at, dead_at
FROM dead_letters
WHERE kind = 'conflict' AND dead_at >= :from AND first_at < :until AND (first_at < :from OR dead_at >= :until)
