SELECT n.nspname, c.relname, i.relname, x.indisunique, x.indpred IS NOT NULL, COALESCE(a.attname, '')
FROM pg_index x
JOIN pg_class c ON c.oid = x.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class i ON i.oid = x.indexrelid
CROSS JOIN LATERAL unnest(x.indkey::smallint[]) WITH ORDINALITY AS part(number, place)
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = part.number
WHERE x.indisvalid AND NOT c.relispartition AND part.place <= x.indnkeyatts
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
ORDER BY n.nspname, c.relname, i.relname, part.place
