CREATE TABLE inbox_messages (
  consumer TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL,
  dedupe_key TEXT,
  payload_hash BYTEA NOT NULL CHECK (octet_length(payload_hash) = 32),
  status TEXT NOT NULL CHECK (status IN ('RECEIVED', 'PROCESSING', 'PROCESSED', 'FAILED', 'DEAD')),
  owner UUID,
  lease_expires_at TIMESTAMPTZ,
  receive_count INT NOT NULL DEFAULT 1,
  attempt INT NOT NULL DEFAULT 0,
  next_attempt_at TIMESTAMPTZ,
  received_at TIMESTAMPTZ NOT NULL,
  processed_at TIMESTAMPTZ,
  result TEXT,
  correlation_id TEXT,
  version BIGINT,
  PRIMARY KEY (consumer, source, event_id)
)
