ALTER TABLE inbox_messages ADD COLUMN attempts TEXT
