-- Also of consumers all of whose letters are settled.
SELECT consumer, count(CASE WHEN state = 'DEAD' THEN 1 END)
FROM dead_letters
GROUP BY consumer
