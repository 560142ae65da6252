DELETE FROM outbox_destinations
WHERE destination = :destination
