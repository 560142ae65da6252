-- And whether its event goes to other destinations too: what an inbox knows may have come from there.
SELECT id, kind, destination, payload IS NOT NULL, attempts,
  (SELECT o.disabled_because FROM outbox_destinations AS o WHERE o.destination = dead_letters.destination),
  EXISTS (
    SELECT 1
    FROM outbox_messages AS e
    WHERE e.event_id = dead_letters.event_id AND e.source = dead_letters.source AND e.destination <> dead_letters.destination
  ) OR EXISTS (
    SELECT 1
    FROM dead_letters AS e
    WHERE e.event_id = dead_letters.event_id AND e.source = dead_letters.source AND e.kind = 'outbox'
      AND e.destination <> dead_letters.destination
  ),
  event_id
FROM dead_letters
WHERE id IN ({letters})
