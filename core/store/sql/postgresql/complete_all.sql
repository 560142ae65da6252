-- Row 10 for many records in one statement, each as by complete.sql. No row: fenced, or the record moved on.
WITH given AS MATERIALIZED (
  SELECT g.*, {now} AS now
  FROM json_to_recordset(:completions::json) AS g(scope TEXT, operation TEXT, key TEXT, owner UUID, fence BIGINT,
    response_code INT, response_headers TEXT, response_body TEXT, response_body_digest TEXT, response_truncated BOOLEAN,
    response_ref_type TEXT, response_ref_id TEXT, error_code TEXT, ttl BIGINT)
), up AS (
  UPDATE idempotency_records AS r
  SET previous_status = {shown},
    status = 'SUCCEEDED',
    response_code = clock.response_code,
    response_headers = clock.response_headers::json,
    response_body = decode(clock.response_body, 'hex'),
    response_body_digest = decode(clock.response_body_digest, 'hex'),
    response_truncated = clock.response_truncated,
    response_ref_type = clock.response_ref_type,
    response_ref_id = clock.response_ref_id,
    error_code = clock.error_code,
    completed_at = clock.now,
    not_before = NULL,
    expires_at = GREATEST(r.expires_at,
      clock.now + COALESCE(clock.ttl * interval '1 microsecond', r.expires_at - r.started_at)),
    hold = FALSE,
    hold_reason = NULL,
    hold_by = NULL,
    updated_at = clock.now
  FROM given AS clock
  WHERE (r.scope, r.operation_type, r.idempotency_key) = (clock.scope, clock.operation, clock.key)
    AND r.status = 'IN_PROGRESS' AND r.owner_execution_id = clock.owner AND r.fence = clock.fence
  RETURNING r.*
), journal AS (
  {journal}
  SELECT scope, operation_type, idempotency_key, previous_status, {shown_after}, 'finalize', fence, attempt,
    owner_execution_id::text, owner_execution_id::text, :reason, updated_at
  FROM up
)
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
