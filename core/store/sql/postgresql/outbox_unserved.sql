-- Due, and nobody with these schemes claims it.
SELECT count(*), min(c.destination)
FROM outbox_messages AS c
WHERE c.status = 'PENDING' AND c.next_attempt_at <= {now} AND NOT ({outbox_scheme})
