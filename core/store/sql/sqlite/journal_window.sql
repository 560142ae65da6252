-- A stretch of the journal in its order. What is old enough stands at its beginning, but for clocks that were set.
SELECT count(*), max(seq), count(*) FILTER (WHERE at <= :now - :retention)
FROM (
  SELECT seq, at
  FROM idempotency_transitions
  WHERE seq > :after
  ORDER BY seq
  LIMIT :batch
) AS stretch
