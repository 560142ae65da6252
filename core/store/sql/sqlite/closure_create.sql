-- No part of the snapshot's file: keys stand here as they are in the source.
CREATE TEMPORARY TABLE closure (
  link INTEGER NOT NULL,
  followed INTEGER NOT NULL,
  a TEXT NOT NULL,
  b TEXT NOT NULL,
  c TEXT NOT NULL,
  PRIMARY KEY (link, a, b, c)
) STRICT, WITHOUT ROWID
