-- Without a journal nobody can say whether the record was never there, or was reaped and its journal purged.
SELECT count(*)
FROM (
  SELECT 1
  FROM outbox_messages AS k
  WHERE k.idempotency_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM idempotency_transitions) AND {no_record}
  LIMIT :most
) AS u
