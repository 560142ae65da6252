-- Only in the journal of a client: the keys that it has sent, until what became of them is confirmed.
CREATE TABLE IF NOT EXISTS idempotency_client_calls (
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  headers TEXT NOT NULL,
  body BLOB,
  body_digest BLOB NOT NULL,
  preset TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'confirmed', 'unknown')),
  attempts INTEGER NOT NULL,
  status INTEGER,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (operation, key)
) STRICT
