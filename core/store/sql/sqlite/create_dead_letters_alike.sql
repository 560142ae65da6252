-- All that is counted of the groups, in the order in which the letters of one are paged.
CREATE INDEX IF NOT EXISTS dead_letters_alike ON dead_letters (fingerprint, dead_at, id, state, deaths)
