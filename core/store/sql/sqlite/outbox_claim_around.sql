-- The same choice as of outbox_claim, destination by destination, so that what the disabled ones are owed is not walked past.
WITH RECURSIVE destinations (destination) AS (
  SELECT min(destination)
  FROM outbox_messages
  WHERE status = 'PENDING'
  UNION ALL
  SELECT (
    SELECT min(n.destination)
    FROM outbox_messages AS n
    WHERE n.status = 'PENDING' AND n.destination > d.destination
  )
  FROM destinations AS d
  WHERE d.destination IS NOT NULL
),
enabled AS (
  SELECT c.destination
  FROM destinations AS c
  WHERE c.destination IS NOT NULL AND {outbox_scheme} AND {outbox_enabled}
)
UPDATE outbox_messages
SET status = 'SENDING',
  owner = :owner,
  lease_expires_at = :now + :lease,
  attempt = max(0, min(attempt, 2147483646)) + 1,
  next_attempt_at = NULL
WHERE seq IN (
  SELECT m.seq
  FROM enabled AS e
  CROSS JOIN outbox_messages AS m
  WHERE m.seq IN (
    SELECT c.seq
    FROM outbox_messages AS c
    WHERE c.destination = e.destination AND c.status = 'PENDING' AND c.next_attempt_at <= :now
      AND (c.ordering_key IS NULL OR {outbox_head})
    ORDER BY c.next_attempt_at, c.seq
    LIMIT :batch
  )
  ORDER BY m.next_attempt_at, m.seq
  LIMIT :batch
)
RETURNING {outbox}
