-- The same choice as of outbox_claim, destination by destination, so that what the disabled ones are owed is not walked past.
-- Twice as many candidates as are wanted: another relay may hold the first ones at this very moment.
WITH RECURSIVE destinations (destination) AS (
  (
    SELECT destination
    FROM outbox_messages
    WHERE status = 'PENDING'
    ORDER BY destination
    LIMIT 1
  )
  UNION ALL
  SELECT (
    SELECT n.destination
    FROM outbox_messages AS n
    WHERE n.status = 'PENDING' AND n.destination > d.destination
    ORDER BY n.destination
    LIMIT 1
  )
  FROM destinations AS d
  WHERE d.destination IS NOT NULL
),
enabled AS (
  SELECT c.destination
  FROM destinations AS c
  WHERE c.destination IS NOT NULL AND {outbox_scheme} AND {outbox_enabled}
),
candidates AS MATERIALIZED (
  SELECT due.seq, due.next_attempt_at
  FROM enabled AS e
  CROSS JOIN LATERAL (
    SELECT c.seq, c.next_attempt_at
    FROM outbox_messages AS c
    WHERE c.destination = e.destination AND c.status = 'PENDING' AND c.next_attempt_at <= {now}
      AND (c.ordering_key IS NULL OR {outbox_head})
    ORDER BY c.next_attempt_at, c.seq
    LIMIT 2 * :batch
  ) AS due
  ORDER BY due.next_attempt_at, due.seq
  LIMIT 2 * :batch
),
chosen AS MATERIALIZED (
  SELECT m.seq
  FROM candidates AS a
  JOIN outbox_messages AS m ON m.seq = a.seq
  WHERE m.status = 'PENDING' AND m.next_attempt_at <= {now}
  ORDER BY a.next_attempt_at, a.seq
  LIMIT :batch
  FOR UPDATE OF m SKIP LOCKED
)
UPDATE outbox_messages
SET status = 'SENDING',
  owner = :owner::uuid,
  lease_expires_at = {now} + :lease * interval '1 microsecond',
  attempt = GREATEST(0, LEAST(attempt, 2147483646)) + 1,
  next_attempt_at = NULL
WHERE seq IN (SELECT seq FROM chosen)
RETURNING {outbox}
