-- Many reservations in one statement, each decided as by reserve.sql: most of the price of a statement is its beginning.
-- A wish without a row is to be asked again, and one record cannot be wished for twice.
WITH wish AS MATERIALIZED (
  SELECT w.*, {now} AS now
  FROM json_to_recordset(:wishes::json) AS w(scope TEXT, operation TEXT, key TEXT, request_hash TEXT, fingerprint_alg TEXT, payload_hash TEXT,
    owner UUID, lease BIGINT, correlation_id TEXT, request_method TEXT, request_target TEXT, request_body TEXT,
    ttl BIGINT, takeover TEXT, max_attempts INT, stale_at BIGINT)
), up AS (
  INSERT INTO idempotency_records AS r (scope, operation_type, idempotency_key, request_hash, fingerprint_alg,
    payload_hash, status,
    previous_status, owner_execution_id, fence, attempt, lease_expires_at, correlation_id, request_method,
    request_target, request_body, created_at, started_at, updated_at, expires_at, takeover_policy, max_attempts)
  SELECT w.scope, w.operation, w.key, decode(w.request_hash, 'hex'), w.fingerprint_alg, decode(w.payload_hash, 'hex'), 'IN_PROGRESS',
    'ABSENT', w.owner, nextval('idempotency_fence_seq'), 1, w.now + w.lease * interval '1 microsecond',
    w.correlation_id, w.request_method, w.request_target, decode(w.request_body, 'hex'), w.now, w.now, w.now,
    w.now + w.ttl * interval '1 microsecond', w.takeover, w.max_attempts
  FROM wish AS w
  WHERE w.stale_at IS NULL OR timestamptz 'epoch' + w.stale_at * interval '1 microsecond' > w.now
  {acquire}
SELECT TRUE AS won, updated_at AS now, {record}
FROM up
UNION ALL
SELECT FALSE, {now}, {record}
FROM idempotency_records AS seen
WHERE (scope, operation_type, idempotency_key) IN (SELECT w.scope, w.operation, w.key FROM wish AS w)
  AND NOT EXISTS (
    SELECT 1
    FROM up
    WHERE (up.scope, up.operation_type, up.idempotency_key)
      = (seen.scope, seen.operation_type, seen.idempotency_key))
