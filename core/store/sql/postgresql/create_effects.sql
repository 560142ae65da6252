CREATE TABLE effects (
  effect_id BYTEA PRIMARY KEY,
  fence BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('DOING', 'DONE')),
  ref TEXT
)
