UPDATE webhooks
SET given_up_at = :now
WHERE event_id = :event_id AND delivered_at IS NULL
