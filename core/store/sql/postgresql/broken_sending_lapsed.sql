SELECT o.event_id, CAST(o.seq AS TEXT), '', '', o.lease_expires_at, NULL
FROM outbox_messages AS o
WHERE o.status = 'SENDING' AND o.lease_expires_at <= :now
LIMIT :most
