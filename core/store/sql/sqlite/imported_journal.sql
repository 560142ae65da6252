-- In its order: a record has one correlation id, and where the requests under its key had several, each entry tells its
-- own. What an entry is called is said by the line as a whole.
SELECT row_number() OVER (ORDER BY at, line), scope, operation_type, idempotency_key, before_state, after_state,
  coalesce(event, ''), coalesce(fence, 0), coalesce(attempt, 0), coalesce(owner, ''), '',
  substr(coalesce(': ' || outcome, '') || coalesce(': ' || error_code, '') || coalesce(': ' || note, '')
    || CASE WHEN several THEN coalesce(': correlation_id=' || correlation_id, '') ELSE '' END, 3), at,
  coalesce(outcome, ''), begins, coalesce(told_before, 'UNKNOWN')
FROM temp.imported
ORDER BY at, line
