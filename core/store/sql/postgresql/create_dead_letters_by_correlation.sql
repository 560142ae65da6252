CREATE INDEX dead_letters_correlation ON dead_letters (correlation_id) WHERE correlation_id IS NOT NULL
