SELECT count(*)
FROM (
  SELECT 1
  FROM outbound_calls AS k
  WHERE k.state NOT IN ('SENDING', 'UNKNOWN') AND {no_record} AND {last_state} IS NULL
    AND NOT COALESCE(k.created_at > {journal_since}, FALSE)
  LIMIT :most
) AS u
