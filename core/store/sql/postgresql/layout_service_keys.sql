CREATE TABLE "@service@".idempotency_keys (
  key            TEXT PRIMARY KEY,
  scope          TEXT NOT NULL,
  request_hash   TEXT NOT NULL,
  response       JSONB NOT NULL,
  expires_at     TIMESTAMPTZ NOT NULL,
  created_at     TIMESTAMPTZ NOT NULL DEFAULT now()
)
