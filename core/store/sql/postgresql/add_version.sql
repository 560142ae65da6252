INSERT INTO fencepost_schema (version, applied_at) VALUES (:version::int, statement_timestamp())
