CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'void')),
  object_id TEXT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  reference TEXT,
  effect_id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL
) STRICT
