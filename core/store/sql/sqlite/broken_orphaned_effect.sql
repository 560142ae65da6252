-- An effect does not say whose it is: its fence does, for each was drawn for one record and is in the journal, as long
-- as that is kept. Of the newest entries only: the whole journal is larger than all that is looked at here.
{fences_since}
SELECT COALESCE(k.idempotency_key, lower(hex(e.effect_id))), COALESCE(k.scope, lower(hex(e.effect_id))),
  COALESCE(k.operation_type, ''), COALESCE(k.idempotency_key, ''), NULL,
  'effect ' || lower(hex(e.effect_id)) || ' ' || e.state || ', fence ' || e.fence,
  CASE WHEN k.fence IS NOT NULL THEN lower(hex(e.effect_id)) END
FROM effects AS e
LEFT JOIN (SELECT DISTINCT fence, scope, operation_type, idempotency_key FROM journal) AS k ON k.fence = e.fence
WHERE CASE WHEN k.fence IS NOT NULL THEN {no_record} AND COALESCE({last_state}, 'ABSENT') <> 'ABSENT'
    ELSE e.fence > (SELECT since.fence FROM since)
      AND NOT EXISTS (SELECT 1 FROM idempotency_records AS r WHERE r.fence = e.fence)
  END
LIMIT :most
