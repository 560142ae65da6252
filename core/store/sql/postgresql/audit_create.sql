CREATE TABLE IF NOT EXISTS idempotency_audit (
  seq BIGINT PRIMARY KEY,
  request_id TEXT NOT NULL,
  item INTEGER NOT NULL,
  verb TEXT NOT NULL,
  database TEXT NOT NULL,
  binding TEXT NOT NULL,
  identity TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  before_image TEXT NOT NULL,
  after_image TEXT NOT NULL,
  parameters TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at BIGINT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
)
