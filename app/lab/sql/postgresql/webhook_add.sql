INSERT INTO webhooks (event_id, type, payload, created_at)
VALUES (:event_id, :type, :payload, :now)
