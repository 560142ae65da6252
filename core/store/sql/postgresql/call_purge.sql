-- What was sent for a request that is not at its end yet is all that keeps whoever goes on from sending it again, also
-- where its record was deleted before it had an outcome: that is the outcome of its own life.
DELETE FROM outbound_calls
WHERE (vendor, operation, call_key) IN (
  SELECT c.vendor, c.operation, c.call_key
  FROM outbound_calls AS c
  WHERE c.expires_at <= {now} AND c.state NOT IN ('SENDING', 'UNKNOWN')
    AND NOT EXISTS (
      SELECT 1
      FROM idempotency_records AS r
      WHERE (r.scope, r.operation_type, r.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
        AND r.status IN ('IN_PROGRESS', 'FAILED_RETRYABLE'))
    AND (EXISTS (
        SELECT 1
        FROM idempotency_transitions AS t
        WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
          AND t.to_state IN ('SUCCEEDED', 'FAILED_FINAL') AND t.fence >= c.fence
          AND NOT EXISTS (
            SELECT 1
            FROM idempotency_transitions AS b
            WHERE (b.scope, b.operation_type, b.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)
              AND b.event = 'reserve' AND b.attempt = 1 AND b.to_state = 'IN_PROGRESS'
              AND b.fence > c.fence AND b.fence <= t.fence))
      OR NOT EXISTS (
        SELECT 1
        FROM idempotency_transitions AS t
        WHERE (t.scope, t.operation_type, t.idempotency_key) = (c.scope, c.operation_type, c.idempotency_key)))
  ORDER BY c.expires_at
  LIMIT :batch
  FOR UPDATE OF c SKIP LOCKED
)
