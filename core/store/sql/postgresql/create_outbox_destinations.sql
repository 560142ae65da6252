-- Those that want nothing any more.
CREATE TABLE outbox_destinations (
  destination TEXT COLLATE "C" PRIMARY KEY,
  disabled_at TIMESTAMPTZ NOT NULL,
  disabled_by TEXT NOT NULL,
  disabled_because TEXT NOT NULL
)
