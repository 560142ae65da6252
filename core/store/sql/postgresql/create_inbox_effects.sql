CREATE UNIQUE INDEX inbox_messages_effect ON inbox_messages (consumer, effect_key) WHERE effect_key IS NOT NULL
