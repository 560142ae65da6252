SELECT id, kind, destination, payload IS NOT NULL, attempts,
  (SELECT o.disabled_because FROM outbox_destinations AS o WHERE o.destination = dead_letters.destination)
FROM dead_letters
WHERE id IN ({letters})
