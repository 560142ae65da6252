-- A letter that nobody has decided about stays however old it is, and so does the decision while its inbox says DEAD.
-- What was put back stays until it has arrived: its run asks for it. What was edited stays while another letter of its
-- event waits: its copy went to that one's consumer too.
DELETE FROM dead_letters
WHERE id IN (
  SELECT id
  FROM dead_letters
  WHERE state <> 'DEAD' AND settled_at <= :now - :retention
    AND NOT (kind = 'inbox' AND state = 'DISCARDED' AND EXISTS (
      SELECT 1
      FROM inbox_messages AS i
      WHERE i.consumer = dead_letters.consumer AND i.source = dead_letters.source AND i.event_id = dead_letters.event_id
        AND i.status = 'DEAD'))
    AND NOT (state = 'REDRIVEN' AND (EXISTS (
        SELECT 1
        FROM outbox_messages AS o
        WHERE o.event_id = dead_letters.event_id AND o.destination = dead_letters.destination
          AND o.status IN ('PENDING', 'SENDING'))
      OR (kind = 'inbox' AND EXISTS (
        SELECT 1
        FROM inbox_messages AS i
        WHERE i.consumer = dead_letters.consumer AND i.source = dead_letters.source AND i.event_id = dead_letters.event_id
          AND i.status IN ('RECEIVED', 'PROCESSING', 'FAILED')))))
    AND NOT (state = 'DISCARDED' AND settled_because LIKE 'edited as %' AND EXISTS (
      SELECT 1
      FROM dead_letters AS w
      WHERE w.event_id = dead_letters.event_id AND w.source = dead_letters.source AND w.state = 'DEAD'))
  LIMIT :batch
)
