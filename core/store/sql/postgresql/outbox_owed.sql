-- How much a claim that goes by time alone would walk past, counted as far as it matters.
SELECT count(*)
FROM (
  SELECT 1
  FROM outbox_destinations AS d
  CROSS JOIN LATERAL (
    SELECT c.seq
    FROM outbox_messages AS c
    WHERE c.destination = d.destination AND c.status = 'PENDING' AND c.next_attempt_at <= {now}
    ORDER BY c.next_attempt_at, c.seq
    LIMIT :enough
  ) AS owed
  LIMIT :enough
) AS counted
