UPDATE outbox_messages
SET status = 'SENT',
  owner = NULL,
  lease_expires_at = NULL,
  sent_at = :now
WHERE status = 'SENDING' AND owner = :owner AND seq IN (SELECT value FROM json_each(:seqs))
RETURNING seq
