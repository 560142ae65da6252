-- An effect does not say whose it is: its fence does, for each was drawn for one record and is in the journal, as long
-- as that is kept. Of the newest entries only: the whole journal is larger than all that is looked at here.
WITH journal AS MATERIALIZED (
  SELECT seq, scope, operation_type, idempotency_key, to_state, event, fence
  FROM idempotency_transitions
  ORDER BY seq DESC
  LIMIT 200000
), since AS MATERIALIZED (
  SELECT fence
  FROM journal
  WHERE event = 'reserve' AND seq >= COALESCE((
    SELECT min(k.seq)
    FROM journal AS k
    WHERE k.to_state = 'ABSENT' AND {no_record}), 0)
  ORDER BY seq
  LIMIT 1
)
SELECT COALESCE(k.idempotency_key, lower(hex(e.effect_id))), COALESCE(k.scope, lower(hex(e.effect_id))),
  COALESCE(k.operation_type, ''), COALESCE(k.idempotency_key, ''), NULL,
  'effect ' || lower(hex(e.effect_id)) || ' ' || e.state || ', fence ' || e.fence
FROM effects AS e
LEFT JOIN (SELECT DISTINCT fence, scope, operation_type, idempotency_key FROM journal) AS k ON k.fence = e.fence
WHERE CASE WHEN k.fence IS NOT NULL THEN {no_record} AND COALESCE({last_state}, 'ABSENT') <> 'ABSENT'
    ELSE e.fence > (SELECT since.fence FROM since)
      AND NOT EXISTS (SELECT 1 FROM idempotency_records AS r WHERE r.fence = e.fence)
  END
LIMIT :most
