-- None: this event is there, or another one has its effect.
INSERT INTO inbox_messages (consumer, source, event_id, dedupe_key, payload_hash, status, owner, lease_expires_at, receive_count,
  attempt, next_attempt_at, received_at, processed_at, result, correlation_id, subject, version, attempts, effect_key)
VALUES (:consumer, :source, :event_id, :dedupe_key, :payload_hash, :status, :owner::uuid, :lease_expires_at, :receive_count,
  :attempt, :next_attempt_at, :received_at, :processed_at, :result, :correlation_id, :subject, :version, :attempts, :effect_key)
ON CONFLICT DO NOTHING
