coalesce('epoch'::timestamptz + :now::bigint * interval '1 microsecond', statement_timestamp())
