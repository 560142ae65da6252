NOT EXISTS (SELECT 1 FROM outbox_destinations AS d WHERE d.destination = c.destination)
