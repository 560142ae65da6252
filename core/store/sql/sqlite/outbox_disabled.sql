SELECT destination, disabled_at, disabled_by, disabled_because
FROM outbox_destinations
ORDER BY destination
