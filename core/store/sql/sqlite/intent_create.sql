-- Only in the console's own audit file: writes whose outcome is not known yet.
CREATE TABLE IF NOT EXISTS idempotency_intents (
  request_id TEXT NOT NULL,
  item INTEGER NOT NULL,
  verb TEXT NOT NULL,
  database TEXT NOT NULL,
  binding TEXT NOT NULL,
  identity TEXT NOT NULL,
  before_image TEXT NOT NULL,
  after_image TEXT NOT NULL,
  parameters TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (request_id, item)
) STRICT
