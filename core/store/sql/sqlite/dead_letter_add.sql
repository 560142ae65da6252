-- The same event dies again under the same id, with everything that was tried before.
INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, ordering_key, state, deaths, code, reason, fingerprint,
  pattern, attempts, headers, payload, payload_hash, scope, operation_type, idempotency_key, correlation_id, first_at, dead_at)
VALUES (:id, :kind, :consumer, :source, :event_id, :destination, :type, :ordering_key, 'DEAD', 1, :code, :reason, :fingerprint,
  :pattern, :attempts, :headers, :payload, :payload_hash, :scope, :operation, :key, :correlation_id, :first_at, :dead_at)
ON CONFLICT (id) DO UPDATE
SET state = 'DEAD',
  deaths = dead_letters.deaths + 1,
  code = excluded.code,
  reason = excluded.reason,
  fingerprint = excluded.fingerprint,
  pattern = excluded.pattern,
  attempts = excluded.attempts,
  headers = excluded.headers,
  payload = COALESCE(excluded.payload, dead_letters.payload),
  dead_at = excluded.dead_at,
  settled_at = NULL,
  settled_by = NULL,
  settled_because = NULL
