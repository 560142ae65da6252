-- Nobody claims it until its destination is enabled.
SELECT count(*), min(c.destination)
FROM outbox_messages AS c
WHERE c.status = 'PENDING' AND c.destination IN (SELECT destination FROM outbox_destinations)
