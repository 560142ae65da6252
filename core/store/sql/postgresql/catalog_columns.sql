-- The catalog itself: information_schema hides what the role has no grant on, and is slow. Partitions are reached
-- through their parent. A view reads its tables as its owner, or as whoever reads it where it says so.
SELECT n.nspname, c.relname, c.relkind::text,
  CASE
    WHEN c.relkind = 'v' THEN EXISTS (
      SELECT 1
      FROM pg_rewrite AS w
      JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        AND d.refclassid = 'pg_class'::regclass
      JOIN pg_class AS u ON u.oid = d.refobjid AND u.relrowsecurity
      JOIN pg_roles AS r ON CASE
        WHEN array_to_string(c.reloptions, ',') ~ 'security_invoker=(true|on|yes|1)' THEN r.rolname = current_user
        ELSE r.oid = c.relowner
      END
      WHERE w.ev_class = c.oid AND NOT r.rolsuper AND NOT r.rolbypassrls
        AND (u.relforcerowsecurity OR NOT pg_has_role(r.oid, u.relowner, 'USAGE')))
    ELSE row_security_active(c.oid)
  END,
  has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'UPDATE'), has_table_privilege(c.oid, 'DELETE'),
  c.reltuples::bigint,
  a.attname, format_type(t.oid, -1), t.typcategory::text, t.typtype::text, a.attnotnull,
  COALESCE(array_position(k.conkey, a.attnum), 0),
  CASE WHEN t.typtype = 'e' THEN (SELECT string_agg(e.enumlabel, E'\n' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) END,
  pg_table_is_visible(c.oid), has_table_privilege(c.oid, 'INSERT'),
  CASE WHEN c.relkind = 'p' THEN (SELECT count(*) FROM pg_inherits AS i WHERE i.inhparent = c.oid) ELSE 0 END,
  a.attgenerated <> '' OR a.attidentity = 'a', has_column_privilege(c.oid, a.attnum, 'SELECT'),
  has_column_privilege(c.oid, a.attnum, 'UPDATE')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type said ON said.oid = a.atttypid
JOIN pg_type t ON t.oid = CASE WHEN said.typtype = 'd' THEN said.typbasetype ELSE said.oid END
LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\_temp\_%'
  AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY n.nspname, c.relname, a.attnum
