-- A record that was reaped has said so, as long as the journal is kept: nothing is known of what is older. A purge takes
-- the entries of records that are gone, by their age, but the last that says so: in the newest entries without a gap in
-- their numbers, none is missing.
SELECT k.event_id, CAST(k.seq AS TEXT), '', '', k.created_at, k.idempotency_key
FROM outbox_messages AS k
WHERE k.idempotency_key IS NOT NULL AND {no_record}
  AND COALESCE({last_state}, CASE WHEN k.created_at > {journal_since} THEN 'NEVER' ELSE 'ABSENT' END) <> 'ABSENT'
LIMIT :most
