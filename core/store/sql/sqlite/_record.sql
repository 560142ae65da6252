scope, operation_type, idempotency_key, request_hash, fingerprint_alg, payload_hash, status, owner_execution_id, fence,
  attempt, lease_expires_at, not_before, hold, hold_reason, hold_by, recovery_point, recovery_data, response_code,
  response_headers, response_body, response_body_digest, response_truncated, response_ref_type, response_ref_id,
  error_code, provider_request_id, correlation_id, request_method, request_target, request_body, first_sent_at,
  created_at, started_at, updated_at, completed_at, expires_at, takeover_policy, max_attempts, tombstone_until
