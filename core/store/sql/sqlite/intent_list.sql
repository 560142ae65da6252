SELECT {intent_columns}
FROM idempotency_intents
WHERE database = :database
ORDER BY at DESC, request_id, item DESC
