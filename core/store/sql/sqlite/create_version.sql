CREATE TABLE fencepost_schema (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT
