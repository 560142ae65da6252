-- The claim is given back as if it had not been, for a while.
UPDATE outbox_messages
SET status = 'PENDING',
  owner = NULL,
  lease_expires_at = NULL,
  attempt = attempt - 1,
  next_attempt_at = :now + :lease
WHERE status = 'SENDING' AND owner = :owner AND seq IN (SELECT value FROM json_each(:seqs))
RETURNING seq
