CREATE TABLE IF NOT EXISTS refunds (
  id TEXT PRIMARY KEY,
  charge_id TEXT NOT NULL REFERENCES payments,
  amount BIGINT NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'voided')),
  reference TEXT,
  payout_id TEXT,
  effect_id TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  voided_at BIGINT
)
