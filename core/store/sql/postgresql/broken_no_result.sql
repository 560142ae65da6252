-- What was made of a log has no payload's hash, and tells of a result at most what the log did.
SELECT i.event_id, i.consumer, i.source, i.event_id, i.received_at, NULL
FROM inbox_messages AS i
WHERE i.status = 'PROCESSED' AND (i.result IS NULL OR i.result = '' OR i.processed_at IS NULL) AND length(i.payload_hash) > 0
LIMIT :most
