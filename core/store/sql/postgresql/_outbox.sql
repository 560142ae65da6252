seq, event_id, destination, source, aggregatetype, aggregateid, type, ordering_key, headers, octet_length(payload), status, owner::text,
  lease_expires_at, attempt, next_attempt_at, attempts, scope, operation_type, idempotency_key, correlation_id, created_at, sent_at,
  discarded_at
