ALTER TABLE inbox_messages ADD COLUMN subject TEXT COLLATE "C"
