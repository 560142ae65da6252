CREATE TABLE idempotency_keys (
  key            TEXT PRIMARY KEY,
  scope          TEXT NOT NULL,
  request_hash   TEXT NOT NULL,
  response       TEXT  NOT NULL,
  expires_at     TEXT NOT NULL,
  created_at     TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)
