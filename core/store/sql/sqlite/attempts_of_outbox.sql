-- What failed since then is not sent yet, or was sent after it. Three small indexes instead of the table.
SELECT event_id, destination, attempts, attempt, status
FROM outbox_messages
WHERE status = 'PENDING' AND attempts <> '[]'
UNION ALL
SELECT event_id, destination, attempts, attempt, status
FROM outbox_messages
WHERE status = 'SENDING' AND attempts <> '[]'
UNION ALL
SELECT event_id, destination, attempts, attempt, status
FROM outbox_messages
WHERE status = 'SENT' AND sent_at >= :from AND attempts <> '[]' AND created_at < :until
LIMIT :most
