CREATE TABLE idempotency_transitions (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope TEXT COLLATE "C" NOT NULL,
  operation_type TEXT COLLATE "C" NOT NULL,
  idempotency_key TEXT COLLATE "C" NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  event TEXT NOT NULL,
  fence BIGINT NOT NULL,
  attempt INT NOT NULL,
  owner TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at TIMESTAMPTZ NOT NULL
)
