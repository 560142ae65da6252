-- The words of a group are those of any of its letters. The index of the groups has all that is counted.
SELECT g.fingerprint, s.pattern, s.code, g.dead, g.again, g.total, g.recent, g.first_at, g.last_at, s.id,
  p.replayed_at,
  (SELECT count(*) FROM dead_letters AS n WHERE n.fingerprint = g.fingerprint AND n.dead_at > p.replayed_at AND n.state = 'DEAD')
FROM (
  SELECT fingerprint,
    count(*) FILTER (WHERE state = 'DEAD') AS dead,
    count(*) FILTER (WHERE state = 'DEAD' AND deaths > 1) AS again,
    count(*) AS total,
    count(*) FILTER (WHERE dead_at > :since) AS recent,
    min(dead_at) AS first_at,
    max(dead_at) AS last_at
  FROM dead_letters
  GROUP BY fingerprint
) AS g
LEFT JOIN (
  SELECT l.fingerprint, max(r.started_at) AS replayed_at
  FROM dead_letters AS l
  JOIN operation_runs AS r ON r.request_id = l.run_id
  WHERE l.run_id IS NOT NULL
  GROUP BY l.fingerprint
) AS p ON p.fingerprint = g.fingerprint
JOIN dead_letters AS s ON s.id = (SELECT id FROM dead_letters WHERE fingerprint = g.fingerprint LIMIT 1)
ORDER BY g.dead DESC, g.total DESC, g.fingerprint
LIMIT :most
