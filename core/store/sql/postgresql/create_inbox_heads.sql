CREATE TABLE inbox_heads (
  consumer TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  version BIGINT,
  PRIMARY KEY (consumer, source, subject)
)
