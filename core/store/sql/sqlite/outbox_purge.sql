DELETE FROM outbox_messages
WHERE seq IN (
  SELECT seq
  FROM outbox_messages
  WHERE status = 'SENT' AND sent_at <= :now - :retention
  ORDER BY sent_at
  LIMIT :batch
)
