CREATE INDEX IF NOT EXISTS idempotency_client_calls_unsettled ON idempotency_client_calls (created_at)
WHERE state <> 'confirmed'
