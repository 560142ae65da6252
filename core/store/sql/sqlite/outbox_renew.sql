UPDATE outbox_messages
SET lease_expires_at = :now + :lease
WHERE status = 'SENDING' AND owner = :owner AND seq IN (SELECT value FROM json_each(:seqs))
RETURNING seq
