-- The head of each ordering key, whoever is due first before the others: what fails again and again waits behind its backoff
-- and takes nobody's place. An attempt that no integer can follow would make all of them fail.
-- CASE, because what may be sent is most of them: planned as what it is, each condition counts as one that few rows meet,
-- and then every row that is due is read and sorted for the first ones.
WITH chosen AS MATERIALIZED (
  SELECT c.seq
  FROM outbox_messages AS c
  WHERE c.status = 'PENDING' AND c.next_attempt_at <= {now} AND CASE WHEN {outbox_scheme} AND {outbox_enabled} THEN TRUE ELSE FALSE END AND (c.ordering_key IS NULL OR {outbox_head})
  ORDER BY c.next_attempt_at, c.seq
  LIMIT :batch
  FOR UPDATE OF c SKIP LOCKED
)
UPDATE outbox_messages
SET status = 'SENDING',
  owner = :owner::uuid,
  lease_expires_at = {now} + :lease * interval '1 microsecond',
  attempt = GREATEST(0, LEAST(attempt, 2147483646)) + 1,
  next_attempt_at = NULL
WHERE seq IN (SELECT seq FROM chosen)
RETURNING {outbox}
