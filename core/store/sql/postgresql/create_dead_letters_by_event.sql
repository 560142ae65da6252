CREATE INDEX dead_letters_event ON dead_letters (event_id)
