-- Rows 5 and 14. A record whose retention is over is judged under the lock: its refused arrivals go with its old life.
ON CONFLICT (scope, operation_type, idempotency_key) DO UPDATE SET
    payload_hash = COALESCE(excluded.payload_hash, r.payload_hash),
    status = 'IN_PROGRESS',
    -- The journal tells a retry from a takeover behind the expiry too, and RETURNING shows only what is new.
    previous_status = CASE WHEN r.expires_at <= excluded.updated_at AND r.status = 'FAILED_RETRYABLE'
      THEN 'EXPIRED_RETRYABLE' WHEN r.expires_at <= excluded.updated_at THEN 'EXPIRED' ELSE r.status END,
    owner_execution_id = excluded.owner_execution_id,
    -- The number of the insert was drawn before the row was locked, so a later one may stand in it by now. Under the
    -- lock the next draw is above that one, or, where somebody wrote a fence around the counter, the last of enough.
    fence = CASE WHEN excluded.fence > r.fence THEN excluded.fence ELSE (
      SELECT max(nextval('idempotency_fence_seq'))
      FROM generate_series(1, GREATEST(1, r.fence + 1 - {last_fence}))) END,
    attempt = r.attempt + 1,
    lease_expires_at = excluded.lease_expires_at,
    not_before = NULL,
    response_code = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_body_digest = NULL,
    response_truncated = FALSE,
    response_ref_type = NULL,
    response_ref_id = NULL,
    error_code = NULL,
    completed_at = NULL,
    tombstone_until = NULL,
    correlation_id = COALESCE(excluded.correlation_id, r.correlation_id),
    request_method = COALESCE(excluded.request_method, r.request_method),
    request_target = COALESCE(excluded.request_target, r.request_target),
    request_body = COALESCE(excluded.request_body, r.request_body),
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
