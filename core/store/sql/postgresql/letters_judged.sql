-- And whether its event goes to other destinations too: what an inbox knows may have come from there. And how a
-- letter of another consumer was edited.
SELECT l.id, l.kind, l.destination, l.payload IS NOT NULL, l.attempts,
  (SELECT o.disabled_because FROM outbox_destinations AS o WHERE o.destination = l.destination),
  {goes_elsewhere},
  l.event_id,
  (
    SELECT e.settled_because
    FROM dead_letters AS e
    WHERE e.event_id = l.event_id AND e.source = l.source AND (l.kind <> 'outbox' OR e.destination = l.destination) AND e.id <> l.id
      AND e.payload_hash = l.payload_hash AND e.state = 'DISCARDED' AND e.settled_because LIKE 'edited as %'
    LIMIT 1
  )
FROM dead_letters AS l
WHERE l.id IN ({letters})
