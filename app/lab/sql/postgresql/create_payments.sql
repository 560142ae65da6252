CREATE TABLE IF NOT EXISTS payments (
  id TEXT PRIMARY KEY,
  amount BIGINT NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  reference TEXT,
  effect_id TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
)
