SELECT current_setting('server_version'), current_user::text, current_database()::text, current_schema()::text,
  pg_is_in_recovery(), current_setting('transaction_read_only'),
  CASE WHEN pg_is_in_recovery() THEN (extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000000)::bigint END,
  COALESCE(host(inet_server_addr()), ''), COALESCE(inet_server_port()::text, '')
