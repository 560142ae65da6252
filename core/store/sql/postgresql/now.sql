SELECT (extract(epoch FROM COALESCE(timestamptz 'epoch' + :now::bigint * interval '1 microsecond', statement_timestamp())) * 1000000)::bigint
