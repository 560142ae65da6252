CREATE TABLE IF NOT EXISTS webhooks (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT,
  given_up_at BIGINT
)
