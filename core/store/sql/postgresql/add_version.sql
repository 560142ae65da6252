INSERT INTO fencepost_schema (version, applied_at)
VALUES (:version::int, COALESCE(timestamptz 'epoch' + :at::bigint * interval '1 microsecond', statement_timestamp()))
