INSERT INTO outbox_destinations (destination, disabled_at, disabled_by, disabled_because)
VALUES (:destination, :now, :by, :because)
ON CONFLICT DO NOTHING
