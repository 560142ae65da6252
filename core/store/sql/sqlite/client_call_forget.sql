DELETE FROM idempotency_client_calls
WHERE state = 'confirmed' AND updated_at < :before
