-- SPDX-License-Identifier: GPL-3.0-or-later
-- Two roles for people on PostgreSQL: fencepost_reader looks, fencepost_operator also fences, releases, resolves, fails
-- and expires records of Fencepost's own tables, and replays and discards their dead letters. Neither may create, drop or delete anything.
--   psql -f roles.sql DATABASE                     tables in the schema public
--   psql -v schema=payments -f roles.sql DATABASE
-- Then: GRANT fencepost_reader TO somebody. Safe to run again, as after `fencepostctl schema init`.
\set ON_ERROR_STOP on
\if :{?schema}
\else
  \set schema public
\endif

BEGIN;

SELECT format('CREATE ROLE %I NOLOGIN', name)
FROM (VALUES ('fencepost_reader'), ('fencepost_operator')) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
\gexec

SELECT format('GRANT CONNECT ON DATABASE %I TO fencepost_reader', current_database())
\gexec
GRANT fencepost_reader TO fencepost_operator;

-- Profiles recognise other people's tables too, so a reader may read all of the schema.
GRANT USAGE ON SCHEMA :"schema" TO fencepost_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA :"schema" TO fencepost_reader;

-- The journal and the audit only ever grow, so nobody may change what is in them.
GRANT UPDATE ON :"schema".idempotency_records TO fencepost_operator;
GRANT INSERT ON :"schema".idempotency_transitions, :"schema".idempotency_audit TO fencepost_operator;
GRANT UPDATE ON :"schema".idempotency_chain TO fencepost_operator;
-- What was taken back, as whoever closes a key says, is forgotten.
GRANT UPDATE (error_code, expires_at) ON :"schema".outbound_calls TO fencepost_operator;
GRANT UPDATE (expires_at) ON :"schema".effects TO fencepost_operator;
GRANT INSERT, UPDATE ON :"schema".operation_runs, :"schema".run_items TO fencepost_operator;
-- A dead letter is put back into the outbox, or given up for good.
GRANT UPDATE ON :"schema".dead_letters, :"schema".inbox_messages TO fencepost_operator;
GRANT INSERT, UPDATE ON :"schema".outbox_messages TO fencepost_operator;
-- UPDATE, because the counter jumps where somebody wrote a fence far ahead of it.
GRANT USAGE, UPDATE ON SEQUENCE :"schema".idempotency_fence_seq TO fencepost_operator;

COMMIT;
