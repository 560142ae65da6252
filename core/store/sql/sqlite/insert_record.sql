-- The values that an insert cannot have are the table's own defaults. No row: there is a record of this id.
INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, fingerprint_alg, payload_hash,
  status, previous_status, owner_execution_id, fence, attempt, lease_expires_at, recovery_point, correlation_id,
  request_method, request_target, request_body, created_at, started_at, updated_at, expires_at, takeover_policy,
  max_attempts)
VALUES (:scope, :operation, :key, :request_hash, :fingerprint_alg, :payload_hash,
  :status, 'ABSENT', :owner, :fence, :attempt, :lease_expires_at, :recovery_point, :correlation_id,
  :request_method, :request_target, :request_body, :created_at, :started_at, :updated_at, :expires_at, :takeover,
  :max_attempts)
ON CONFLICT DO NOTHING
