CREATE TABLE run_items (
  request_id TEXT NOT NULL REFERENCES operation_runs (request_id),
  item INTEGER NOT NULL,
  identity TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (request_id, item)
) STRICT, WITHOUT ROWID
