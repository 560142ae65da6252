SELECT row_number() OVER (ORDER BY at, line), scope, operation_type, idempotency_key, coalesce(from_state, 'UNKNOWN'),
  coalesce(to_state, 'UNKNOWN'),
  CASE WHEN outcome = 'conflict' THEN 'mismatch' WHEN outcome = 'fenced' AND from_state IS to_state THEN 'fenced'
    ELSE coalesce(event, 'unknown') END,
  coalesce(fence, 0), coalesce(attempt, 0), coalesce(owner, ''), '',
  substr(coalesce(': ' || outcome, '') || coalesce(': ' || error_code, '') || coalesce(': ' || note, ''), 3), at
FROM temp.imported
ORDER BY at, line
