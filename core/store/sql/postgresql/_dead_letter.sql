id, kind, consumer, source, event_id, destination, type, ordering_key, state, deaths, code, reason, fingerprint, pattern, attempts,
  headers, octet_length(payload), payload_hash, scope, operation_type, idempotency_key, correlation_id, first_at, dead_at, settled_at,
  settled_by, settled_because, run_id
