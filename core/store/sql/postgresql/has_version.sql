SELECT (to_regclass('fencepost_schema') IS NOT NULL)::int, (to_regclass('svc_idempotency_keys') IS NOT NULL)::int,
  coalesce(has_table_privilege(to_regclass('fencepost_schema'), 'SELECT'), true)::int
