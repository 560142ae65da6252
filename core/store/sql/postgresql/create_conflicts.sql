-- Slots 1 to 8 hold the hash of one mismatch each, 9 to 15 that of one fenced owner, and 0 and 16 count all others of
-- their kind: a client can neither fill the table nor hide that an owner was fenced.
CREATE TABLE idempotency_conflicts (
  scope TEXT COLLATE "C" NOT NULL,
  operation_type TEXT COLLATE "C" NOT NULL,
  idempotency_key TEXT COLLATE "C" NOT NULL,
  slot INT NOT NULL CHECK (slot BETWEEN 0 AND 16),
  presented_hash BYTEA NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('mismatch', 'fenced')),
  principal TEXT NOT NULL,
  count BIGINT NOT NULL,
  first_at TIMESTAMPTZ NOT NULL,
  last_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (scope, operation_type, idempotency_key, slot),
  UNIQUE (scope, operation_type, idempotency_key, presented_hash)
)
