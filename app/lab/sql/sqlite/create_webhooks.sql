CREATE TABLE IF NOT EXISTS webhooks (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  delivered_at INTEGER,
  given_up_at INTEGER
) STRICT
