-- No part of the file: lines stand here as the logs have them, before anything is hidden.
CREATE TEMPORARY TABLE imported (
  line INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  operation_type TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT,
  status TEXT,
  from_state TEXT,
  to_state TEXT,
  outcome TEXT,
  payload_hash BLOB,
  attempt INTEGER,
  fence INTEGER,
  owner TEXT,
  error_code TEXT,
  correlation_id TEXT
) STRICT
