CREATE TABLE IF NOT EXISTS ledger (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'void')),
  object_id TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  reference TEXT,
  effect_id TEXT NOT NULL UNIQUE,
  at BIGINT NOT NULL
)
