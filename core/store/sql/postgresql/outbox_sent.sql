UPDATE outbox_messages
SET status = 'SENT',
  owner = NULL,
  lease_expires_at = NULL,
  sent_at = {now}
WHERE status = 'SENDING' AND owner = :owner::uuid AND seq = ANY (:seqs::bigint[])
RETURNING seq
