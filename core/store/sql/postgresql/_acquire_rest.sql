    started_at = excluded.started_at,
    updated_at = excluded.updated_at,
    expires_at = GREATEST(r.expires_at, excluded.expires_at)
  WHERE NOT r.hold
    -- Further ahead it is judged under the lock, where the counter may jump.
    AND r.fence <= excluded.fence + 100000
    AND r.request_hash = excluded.request_hash AND r.fingerprint_alg = excluded.fingerprint_alg
    AND (r.max_attempts = 0 OR r.attempt < r.max_attempts)
    AND ((r.status = 'IN_PROGRESS' AND r.lease_expires_at <= excluded.updated_at AND r.takeover_policy = 'auto')
      OR (r.status = 'FAILED_RETRYABLE' AND COALESCE(r.not_before <= excluded.updated_at, TRUE)))
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key,
    CASE WHEN previous_status = 'EXPIRED_RETRYABLE' THEN 'EXPIRED' ELSE previous_status END, {shown_after}, 'reserve',
    fence, attempt, owner_execution_id::text, owner_execution_id::text,
    CASE WHEN previous_status = 'ABSENT' THEN 'reserved' WHEN previous_status IN ('FAILED_RETRYABLE', 'EXPIRED_RETRYABLE') THEN 'retried' ELSE 'taken over' END,
    updated_at
  FROM up
)
