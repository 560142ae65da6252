ALTER TABLE inbox_messages ADD COLUMN subject TEXT
