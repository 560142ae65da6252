-- Behind where the journal is whole nobody can say whether the record was never there, or was reaped and its entries
-- purged.
SELECT count(*)
FROM (
  SELECT 1
  FROM outbox_messages AS k
  WHERE k.idempotency_key IS NOT NULL AND {no_record} AND {last_state} IS NULL
    AND NOT COALESCE(k.created_at > {journal_since}, FALSE)
  LIMIT :most
) AS u
