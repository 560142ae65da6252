SELECT count(*)
FROM (
  SELECT 1
  FROM inbox_messages AS i
  WHERE i.status = 'PROCESSED' AND (i.result IS NULL OR i.result = '' OR i.processed_at IS NULL)
    AND length(i.payload_hash) = 0
  LIMIT :most
) AS u
