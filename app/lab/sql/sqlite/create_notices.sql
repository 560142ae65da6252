-- Nothing here refuses a second notice: the inbox alone keeps one from being written, so that a doubled effect is seen.
CREATE TABLE IF NOT EXISTS notices (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  consumer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  refund_id TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT
