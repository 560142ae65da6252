INSERT INTO inbox_messages (consumer, source, event_id, dedupe_key, payload_hash, status, owner, lease_expires_at, attempt, received_at, correlation_id)
VALUES (:consumer, :source, :event_id, :dedupe_key, :payload_hash, 'PROCESSING', :owner, :now + :lease, 1, :now, :correlation_id)
ON CONFLICT (consumer, source, event_id) DO UPDATE
SET status = 'PROCESSING', attempt = attempt + 1, receive_count = receive_count + 1, owner = excluded.owner, lease_expires_at = excluded.lease_expires_at, next_attempt_at = NULL
WHERE payload_hash = excluded.payload_hash
  AND attempt < :max_attempts
  AND ((status = 'FAILED' AND next_attempt_at <= :now) OR (status IN ('RECEIVED', 'PROCESSING') AND COALESCE(lease_expires_at <= :now, true)))
