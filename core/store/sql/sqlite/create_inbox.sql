CREATE TABLE inbox_messages (
  consumer TEXT NOT NULL,
  source TEXT NOT NULL,
  event_id TEXT NOT NULL,
  dedupe_key TEXT,
  payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 32),
  status TEXT NOT NULL CHECK (status IN ('RECEIVED', 'PROCESSING', 'PROCESSED', 'FAILED', 'DEAD')),
  owner TEXT,
  lease_expires_at INTEGER,
  receive_count INTEGER NOT NULL DEFAULT 1,
  attempt INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  received_at INTEGER NOT NULL,
  processed_at INTEGER,
  result TEXT,
  correlation_id TEXT,
  version INTEGER,
  PRIMARY KEY (consumer, source, event_id)
) STRICT, WITHOUT ROWID
