-- The last line of a key is the one with the highest fence, then the latest: a fence only rises, a clock may go back.
-- One without a fence tells what came of the highest until then, and an answer that it is not in progress any more.
-- Who was refused tells less of the record than anybody else does, and who tells no state less than who does. What
-- expired is what it was before. A line that does not tell whose request it was leaves that to the others.
SELECT scope, operation_type, idempotency_key,
  CASE WHEN state IS 'EXPIRED' AND coalesce(status, 'EXPIRED') = 'EXPIRED' THEN kept ELSE status END,
  coalesce(state, 'UNKNOWN'), reached, attempt, owner, error_code,
  first_at, at, hash, correlation, response_code, result_id, decisive
FROM (
  SELECT *,
    row_number() OVER (PARTITION BY scope, operation_type, idempotency_key
      ORDER BY state IS NULL, refused, restarts DESC, reached DESC, at DESC, line DESC) AS place,
    min(at) OVER (PARTITION BY scope, operation_type, idempotency_key) AS first_at,
    max(CASE WHEN outcome IS NOT 'conflict' THEN payload_hash END)
      OVER (PARTITION BY scope, operation_type, idempotency_key) AS hash,
    max(CASE WHEN outcome IS NOT 'conflict' THEN coalesce(request_hash, payload_hash) END)
      OVER (PARTITION BY scope, operation_type, idempotency_key) AS decisive,
    first_value(correlation_id) OVER (PARTITION BY scope, operation_type, idempotency_key
      ORDER BY correlation_id IS NULL, state IS NULL, refused, restarts DESC, reached DESC, at DESC,
        line DESC) AS correlation
  FROM (
    SELECT *, coalesce(to_state, status,
        CASE WHEN outcome = 'in_progress' THEN 'IN_PROGRESS' WHEN outcome = 'held' THEN 'HELD'
          WHEN event = 'finalize' AND outcome IS NOT 'fenced' THEN 'SUCCEEDED'
          WHEN outcome IN ('replayed', 'created') AND event IS NOT 'reserve'
            AND after_state NOT IN ('SUCCEEDED', 'FAILED_FINAL', 'EXPIRED') THEN 'UNKNOWN' END) AS state,
      outcome IS 'conflict'
        OR (outcome IS 'fenced' AND from_state IS to_state AND event IS NOT 'operator_fence') AS refused
    FROM temp.imported
  )
)
WHERE place = 1 AND state IS NOT 'ABSENT'
ORDER BY scope, operation_type, idempotency_key
