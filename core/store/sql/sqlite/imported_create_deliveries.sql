-- As imported_create.sql, of events.
CREATE TEMPORARY TABLE imported_deliveries (
  line INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  source TEXT NOT NULL,
  event_id TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  processed INTEGER,
  result INTEGER
) STRICT
