SELECT event_id, type, payload
FROM webhooks
WHERE delivered_at IS NULL AND given_up_at IS NULL
ORDER BY created_at, event_id
LIMIT :limit
