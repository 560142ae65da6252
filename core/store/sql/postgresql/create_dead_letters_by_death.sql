CREATE INDEX dead_letters_dead ON dead_letters (dead_at, id)
