CREATE TABLE inbox_heads (
  consumer TEXT NOT NULL,
  source TEXT NOT NULL,
  subject TEXT NOT NULL,
  version INTEGER,
  PRIMARY KEY (consumer, source, subject)
) STRICT, WITHOUT ROWID
