-- A takeover and a retry are later attempts, and what is held is not in progress.
SELECT b.fence,
  EXISTS (
    SELECT 1
    FROM idempotency_transitions
    WHERE {key} AND event = 'reserve' AND attempt = 1 AND to_state = 'IN_PROGRESS' AND seq < b.seq),
  (SELECT c.fence
    FROM idempotency_transitions AS c
    WHERE {key} AND to_state IN ('SUCCEEDED', 'FAILED_FINAL') AND seq < b.seq
      AND NOT EXISTS (
        SELECT 1
        FROM idempotency_transitions
        WHERE {key} AND event = 'reopen' AND seq > c.seq AND seq < b.seq)
    ORDER BY c.seq DESC
    LIMIT 1)
FROM (
  SELECT seq, fence
  FROM idempotency_transitions
  WHERE {key} AND event = 'reserve' AND attempt = 1 AND to_state = 'IN_PROGRESS'
  ORDER BY seq DESC
  LIMIT 1
) AS b
