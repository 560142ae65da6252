-- Behind the dedupe window. What is neither processed nor given up for good stays however old it is.
DELETE FROM inbox_messages
WHERE (consumer, source, event_id) IN (
  SELECT consumer, source, event_id
  FROM inbox_messages
  WHERE status = 'PROCESSED' AND processed_at <= {now} - :retention * interval '1 microsecond'
  ORDER BY processed_at
  LIMIT :batch
  FOR UPDATE SKIP LOCKED
)
