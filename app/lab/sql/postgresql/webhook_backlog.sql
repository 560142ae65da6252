SELECT count(*), min(created_at)
FROM webhooks
WHERE delivered_at IS NULL AND given_up_at IS NULL
