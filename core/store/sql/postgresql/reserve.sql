-- One round trip: the insert wins, or the guard of the update lets this owner take the record over, or the row is
-- returned as it is. No row at all: somebody else's insert was committed after this statement's snapshot, so ask again.
WITH up AS (
  INSERT INTO idempotency_records AS r (scope, operation_type, idempotency_key, request_hash, fingerprint_alg,
    payload_hash, status,
    previous_status, owner_execution_id, fence, attempt, lease_expires_at, correlation_id, request_method,
    request_target, request_body, created_at, started_at, updated_at, expires_at, takeover_policy, max_attempts)
  SELECT :scope, :operation, :key, :request_hash, :fingerprint_alg, :payload_hash, 'IN_PROGRESS', 'ABSENT', :owner::uuid,
    nextval('idempotency_fence_seq'), 1, clock.now + :lease * interval '1 microsecond', :correlation_id,
    :request_method, :request_target, :request_body, clock.now, clock.now, clock.now,
    clock.now + :ttl * interval '1 microsecond', :takeover, :max_attempts
  FROM (SELECT {now} AS now) AS clock
  WHERE :stale_at::timestamptz IS NULL OR :stale_at > clock.now
  {acquire}
{won_or_found}
