COALESCE(:now, statement_timestamp())
