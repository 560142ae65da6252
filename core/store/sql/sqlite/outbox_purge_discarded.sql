DELETE FROM outbox_messages
WHERE seq IN (
  SELECT seq
  FROM outbox_messages
  WHERE discarded_at IS NOT NULL AND status = 'DEAD' AND discarded_at <= :now - :retention
  ORDER BY discarded_at
  LIMIT :batch
)
