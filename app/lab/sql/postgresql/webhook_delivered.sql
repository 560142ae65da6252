UPDATE webhooks
SET delivered_at = :now
WHERE event_id = :event_id AND delivered_at IS NULL
