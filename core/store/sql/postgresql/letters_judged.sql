-- And whether its event goes to other destinations too: what an inbox knows may have come from there.
SELECT l.id, l.kind, l.destination, l.payload IS NOT NULL, l.attempts,
  (SELECT o.disabled_because FROM outbox_destinations AS o WHERE o.destination = l.destination),
  {goes_elsewhere},
  l.event_id
FROM dead_letters AS l
WHERE l.id IN ({letters})
