-- Claims whose relay is gone.
SELECT {outbox}
FROM outbox_messages AS c
WHERE c.status = 'SENDING' AND c.lease_expires_at <= :now AND {outbox_scheme}
ORDER BY c.lease_expires_at, c.seq
LIMIT :batch
