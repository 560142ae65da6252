-- The end of the hash chain: its one row is locked by whoever appends, and tells when the last entry is gone.
CREATE TABLE IF NOT EXISTS idempotency_chain (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entries BIGINT NOT NULL,
  hash TEXT NOT NULL
)
