SELECT count(*)
  FROM inbox_messages AS i
  WHERE i.event_id = l.event_id AND i.source = l.source AND (l.consumer = '' OR i.consumer = l.consumer)
    -- Who had given it up before it was put back refuses it now as before, and tells nothing of what is sent now.
    AND NOT (i.status = 'DEAD' AND EXISTS (
      SELECT 1
      FROM dead_letters AS d
      WHERE d.event_id = i.event_id AND d.kind = 'inbox' AND d.consumer = i.consumer AND d.source = i.source
        AND d.id <> l.id AND d.dead_at <= l.settled_at))
