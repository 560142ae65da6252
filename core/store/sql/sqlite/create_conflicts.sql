-- Slots 1 to 16 hold one presented hash each, slot 0 counts all others: a client cannot fill the table.
CREATE TABLE idempotency_conflicts (
  scope TEXT NOT NULL,
  operation_type TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 16),
  presented_hash BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('mismatch', 'fenced')),
  principal TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (scope, operation_type, idempotency_key, slot),
  UNIQUE (scope, operation_type, idempotency_key, presented_hash)
) STRICT, WITHOUT ROWID
