UPDATE outbox_messages
SET lease_expires_at = {now} + :lease * interval '1 microsecond'
WHERE status = 'SENDING' AND owner = :owner::uuid AND seq = ANY (:seqs::bigint[])
RETURNING seq
