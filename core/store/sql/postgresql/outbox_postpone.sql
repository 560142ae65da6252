-- The claim is given back as if it had not been, for a while.
UPDATE outbox_messages
SET status = 'PENDING',
  owner = NULL,
  lease_expires_at = NULL,
  attempt = attempt - 1,
  next_attempt_at = {now} + :lease * interval '1 microsecond'
WHERE status = 'SENDING' AND owner = :owner::uuid AND seq = ANY (:seqs::bigint[])
RETURNING seq
