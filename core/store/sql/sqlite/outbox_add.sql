-- None: the event is on its way to this destination already.
INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, type, ordering_key, payload, headers, status,
  next_attempt_at, attempts, scope, operation_type, idempotency_key, correlation_id, created_at)
VALUES (:event_id, :destination, :source, :aggregatetype, :aggregateid, :type, :ordering_key, :payload, :headers, 'PENDING',
  :now, '[]', :scope, :operation, :key, :correlation_id, :now)
ON CONFLICT (event_id, destination) DO NOTHING
RETURNING seq
