-- What was tried since then is not sent yet, was sent after it, or is dead. Small indexes instead of the table.
SELECT destination, attempts, attempt, CAST(NULL AS timestamptz)
FROM outbox_messages
WHERE status = 'PENDING' AND attempts <> '[]'
UNION ALL
SELECT destination, attempts, attempt, CAST(NULL AS timestamptz)
FROM outbox_messages
WHERE status = 'SENDING' AND attempts <> '[]'
UNION ALL
SELECT destination, attempts, attempt, CAST(NULL AS timestamptz)
FROM outbox_messages
WHERE status = 'DEAD' AND attempts <> '[]' AND created_at < :until
UNION ALL
SELECT destination, attempts, attempt, sent_at
FROM outbox_messages
WHERE status = 'SENT' AND sent_at >= :from AND attempts <> '[]' AND created_at < :until
LIMIT :most
