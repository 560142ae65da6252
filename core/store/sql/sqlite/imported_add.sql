INSERT INTO temp.imported (digest, part, scope, operation_type, idempotency_key, at, event, status, from_state, to_state,
  outcome, payload_hash, request_hash, attempt, fence, owner, error_code, correlation_id, response_code, result_id, note)
VALUES (:digest, :part, :scope, :operation, :key, :at, :event, :status, :from_state, :to_state, :outcome, :payload_hash,
  :request_hash, :attempt, :fence, :owner, :error_code, :correlation_id, :response_code, :result_id, :note)
ON CONFLICT DO NOTHING
