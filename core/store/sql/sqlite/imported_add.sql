INSERT INTO temp.imported (digest, scope, operation_type, idempotency_key, at, event, status, from_state, to_state, outcome,
  payload_hash, attempt, fence, owner, error_code, correlation_id)
VALUES (:digest, :scope, :operation, :key, :at, :event, :status, :from_state, :to_state, :outcome, :payload_hash, :attempt,
  :fence, :owner, :error_code, :correlation_id)
ON CONFLICT DO NOTHING
