SELECT current_setting('server_version'), current_user::text, current_database()::text, current_schema()::text,
  pg_is_in_recovery(), current_setting('transaction_read_only'),
  CASE WHEN NOT pg_is_in_recovery() THEN NULL
    -- An idle primary sends nothing to replay: whoever receives from it and has replayed all is not behind.
    WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) THEN 0
    ELSE (extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000000)::bigint END,
  COALESCE(host(inet_server_addr()), ''), COALESCE(inet_server_port()::text, '')
