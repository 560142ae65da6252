DELETE FROM outbox_messages
WHERE seq IN (
  SELECT seq
  FROM outbox_messages
  WHERE status = 'SENT' AND sent_at <= {now} - :retention * interval '1 microsecond'
  ORDER BY sent_at
  LIMIT :batch
  FOR UPDATE SKIP LOCKED
)
