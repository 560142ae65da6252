ALTER TABLE inbox_messages ADD COLUMN effect_key TEXT
