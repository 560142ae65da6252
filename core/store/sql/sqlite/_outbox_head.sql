NOT EXISTS (
    SELECT 1
    FROM outbox_messages AS b
    WHERE b.destination = c.destination AND b.ordering_key = c.ordering_key AND b.ordering_key IS NOT NULL AND b.seq < c.seq
      AND b.status <> 'SENT' AND b.discarded_at IS NULL AND (b.status <> 'DEAD' OR :block)
  )
