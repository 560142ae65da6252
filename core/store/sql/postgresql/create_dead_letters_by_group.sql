CREATE INDEX dead_letters_group ON dead_letters (fingerprint, state, dead_at)
