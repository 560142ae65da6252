DELETE FROM idempotency_intents
WHERE request_id = :request_id AND item = :item
