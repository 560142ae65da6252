-- One row: what the file is a snapshot of, and the seal over it.
CREATE TABLE fencepost_snapshot (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  format INTEGER NOT NULL,
  manifest TEXT NOT NULL,
  seal TEXT NOT NULL
) STRICT
