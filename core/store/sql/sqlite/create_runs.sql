CREATE TABLE operation_runs (
  request_id TEXT PRIMARY KEY,
  verb TEXT NOT NULL,
  binding TEXT NOT NULL,
  plan TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('RUNNING', 'PAUSED', 'DONE', 'STOPPED')),
  started_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID
