EXISTS (
    SELECT 1
    FROM outbox_messages AS e
    WHERE e.event_id = l.event_id AND e.source = l.source AND e.destination <> l.destination
  ) OR EXISTS (
    SELECT 1
    FROM dead_letters AS e
    WHERE e.event_id = l.event_id AND e.source = l.source AND e.kind = 'outbox' AND e.destination <> l.destination
  )
