CREATE TABLE fencepost_schema (
  version INT PRIMARY KEY,
  applied_at TIMESTAMPTZ NOT NULL
)
