SELECT count(*)
FROM (
  SELECT 1
  FROM outbound_calls AS k
  WHERE k.state NOT IN ('SENDING', 'UNKNOWN') AND NOT EXISTS (SELECT 1 FROM idempotency_transitions) AND {no_record}
  LIMIT :most
) AS u
