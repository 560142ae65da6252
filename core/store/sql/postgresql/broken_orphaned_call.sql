-- A record that was reaped has said so, as long as the journal is kept: nothing is known of what is older. What is open
-- is nobody's any more, whatever became of the record.
SELECT k.idempotency_key, k.scope, k.operation_type, k.idempotency_key, k.created_at,
  k.vendor || ' ' || k.operation || ' ' || k.state || ', fence ' || k.fence,
  k.vendor || ' ' || k.operation || ' ' || encode(k.call_key, 'hex')
FROM outbound_calls AS k
WHERE {no_record}
  AND (k.state IN ('SENDING', 'UNKNOWN')
    OR COALESCE({last_state}, CASE WHEN k.created_at > {journal_since} THEN 'NEVER' ELSE 'ABSENT' END) <> 'ABSENT')
LIMIT :most
