-- What was claimed and not begun.
UPDATE outbox_messages
SET status = 'PENDING',
  owner = NULL,
  lease_expires_at = NULL,
  attempt = attempt - 1,
  next_attempt_at = :now
WHERE status = 'SENDING' AND owner = :owner AND seq IN (SELECT value FROM json_each(:seqs))
RETURNING seq
