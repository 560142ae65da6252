-- What was claimed and not begun.
UPDATE outbox_messages
SET status = 'PENDING',
  owner = NULL,
  lease_expires_at = NULL,
  attempt = attempt - 1,
  next_attempt_at = {now}
WHERE status = 'SENDING' AND owner = :owner::uuid AND seq = ANY (:seqs::bigint[])
RETURNING seq
