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
