-- Of the tables and the sequence that the session's own operations write and look at. The second column is 1 for the
-- audit's, 2 for what only closing a record needs.
SELECT needed.privilege || ' on ' || needed.name, needed.audit
FROM (VALUES
  ('INSERT', 'idempotency_transitions', 0),
  ('SELECT', 'idempotency_audit', 1),
  ('INSERT', 'idempotency_audit', 1),
  ('SELECT', 'idempotency_chain', 1),
  ('UPDATE', 'idempotency_chain', 1),
  ('SELECT', 'outbound_calls', 2)) AS needed (privilege, name, audit)
WHERE to_regclass(needed.name) IS NOT NULL
  AND NOT has_table_privilege(to_regclass(needed.name), needed.privilege)
UNION ALL
SELECT 'USAGE on the sequence idempotency_fence_seq', 0
WHERE to_regclass('idempotency_fence_seq') IS NOT NULL
  AND NOT has_sequence_privilege(to_regclass('idempotency_fence_seq'), 'USAGE, UPDATE')
UNION ALL
SELECT 'a view of all rows of ' || guarded.name || ', which row-level security may hide', guarded.part
FROM (VALUES ('idempotency_audit', 1), ('idempotency_chain', 1), ('outbound_calls', 2)) AS guarded (name, part)
WHERE to_regclass(guarded.name) IS NOT NULL AND row_security_active(to_regclass(guarded.name))
