-- When letters of a group were put back last.
CREATE INDEX IF NOT EXISTS dead_letters_replayed ON dead_letters (fingerprint, run_id) WHERE run_id IS NOT NULL
