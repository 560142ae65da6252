-- Those that want nothing any more.
CREATE TABLE outbox_destinations (
  destination TEXT PRIMARY KEY,
  disabled_at INTEGER NOT NULL,
  disabled_by TEXT NOT NULL,
  disabled_because TEXT NOT NULL
) STRICT, WITHOUT ROWID
