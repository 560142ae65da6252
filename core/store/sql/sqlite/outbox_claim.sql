-- The head of each ordering key, whoever is due first before the others: what fails again and again waits behind its backoff
-- and takes nobody's place. An attempt that no integer can follow would make all of them fail.
UPDATE outbox_messages
SET status = 'SENDING',
  owner = :owner,
  lease_expires_at = :now + :lease,
  attempt = max(0, min(attempt, 2147483646)) + 1,
  next_attempt_at = NULL
WHERE seq IN (
  SELECT c.seq
  FROM outbox_messages AS c
  WHERE c.status = 'PENDING' AND c.next_attempt_at <= :now AND {outbox_scheme} AND {outbox_enabled} AND (c.ordering_key IS NULL OR {outbox_head})
  ORDER BY c.next_attempt_at, c.seq
  LIMIT :batch
)
RETURNING {outbox}
