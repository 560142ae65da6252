DELETE FROM outbound_calls
WHERE (vendor, operation, call_key) IN (
  SELECT vendor, operation, call_key
  FROM outbound_calls
  WHERE expires_at <= :now AND state NOT IN ('SENDING', 'UNKNOWN')
  ORDER BY expires_at
  LIMIT :batch
)
