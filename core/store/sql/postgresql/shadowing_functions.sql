-- What stands in the schemas of the session and takes the place of PostgreSQL's own where it fits a column's type
-- better, be it a domain's or another type of somebody's own: comparing a row would run it. An extension's is a
-- superuser's, and whoever may do everything anyway, whose schema it is, and this role itself, gain nothing by it.
-- Written out, so that none of it runs here.
SELECT pg_catalog.concat(n.nspname, '.', found.words, ', which is ', w.rolname, '''s')
FROM (
  SELECT CAST('pg_catalog.pg_operator' AS regclass) AS kind, o.oid AS id, o.oprnamespace AS namespace, o.oprowner AS owner,
    pg_catalog.concat(o.oprname, ' of ', pg_catalog.format_type(o.oprleft, NULL), ' and ',
      pg_catalog.format_type(o.oprright, NULL)) AS words
  FROM pg_catalog.pg_operator AS o
  WHERE o.oprname OPERATOR(pg_catalog.=) ANY (CAST('{=,<>,<,<=,>,>=,+,-,*,/,%,||,~,~~,->,->>}' AS name[]))
  UNION ALL
  SELECT CAST('pg_catalog.pg_proc' AS regclass), p.oid, p.pronamespace, p.proowner,
    pg_catalog.concat(p.proname, '(', pg_catalog.pg_get_function_identity_arguments(p.oid), ')')
  FROM pg_catalog.pg_proc AS p
  WHERE p.proname OPERATOR(pg_catalog.=) ANY (CAST('{lower,upper,substr,substring,length,octet_length,encode,decode,to_char,to_timestamp,date_part,date_trunc,isfinite,floor,ceil,round,abs,left,right,strpos,btrim,concat,replace,md5,sha256,convert_from,convert_to,count,min,max,sum,string_agg,array_agg,row_number,json_build_array,json_array_elements,json_array_elements_text,jsonb_typeof,set_config,current_setting,nextval}' AS name[]))
    AND NOT EXISTS (
      SELECT 1
      FROM pg_catalog.pg_proc AS own
      WHERE own.pronamespace OPERATOR(pg_catalog.=) CAST(CAST('pg_catalog' AS regnamespace) AS oid)
        AND own.proname OPERATOR(pg_catalog.=) p.proname AND own.proargtypes OPERATOR(pg_catalog.=) p.proargtypes)
) AS found
JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) found.namespace
JOIN pg_catalog.pg_roles AS w ON w.oid OPERATOR(pg_catalog.=) found.owner
WHERE n.nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(false))
  AND n.nspname OPERATOR(pg_catalog.<>) CAST('pg_catalog' AS name)
  AND NOT w.rolsuper AND w.rolname OPERATOR(pg_catalog.<>) CAST(current_user AS name)
  AND NOT pg_catalog.pg_has_role(w.oid, n.nspowner, CAST('MEMBER' AS text))
  AND NOT EXISTS (
    SELECT 1
    FROM pg_catalog.pg_depend AS d
    WHERE d.classid OPERATOR(pg_catalog.=) CAST(found.kind AS oid)
      AND d.objid OPERATOR(pg_catalog.=) found.id AND d.deptype OPERATOR(pg_catalog.=) CAST('e' AS "char"))
LIMIT 4
