CREATE TABLE run_items (
  request_id TEXT NOT NULL REFERENCES operation_runs (request_id),
  item INT NOT NULL,
  identity TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (request_id, item)
)
