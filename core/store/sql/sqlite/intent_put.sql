INSERT OR REPLACE INTO idempotency_intents ({intent_columns})
VALUES (:request_id, :item, :verb, :database, :binding, :identity, :before_image, :after_image, :parameters, :actor, :reason, :at)
