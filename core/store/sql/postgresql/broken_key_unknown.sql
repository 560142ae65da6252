-- A record that was reaped has said so, as long as the journal is kept: nothing is known of what is older. A purge leaves
-- the last entry that says that a record went, and such an entry without the beginning of its life is there for no other
-- reason: behind the last of these, whatever became of its key, none is missing. A gap in the numbers tells nothing, as a
-- transaction that was rolled back leaves one too.
SELECT k.event_id, k.seq::text, '', '', k.created_at, k.idempotency_key
FROM outbox_messages AS k
WHERE k.idempotency_key IS NOT NULL AND {no_record}
  AND COALESCE({last_state}, CASE WHEN k.created_at > {journal_since} THEN 'NEVER' ELSE 'ABSENT' END) <> 'ABSENT'
LIMIT :most
