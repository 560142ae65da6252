INSERT INTO inbox_messages AS seen (consumer, source, event_id, dedupe_key, payload_hash, status, owner, lease_expires_at, attempt, received_at, correlation_id)
VALUES (:consumer, :source, :event_id, :dedupe_key, :payload_hash, 'PROCESSING', :owner::uuid, {inbox_now} + :lease::bigint * interval '1 microsecond', 1, {inbox_now}, :correlation_id)
ON CONFLICT (consumer, source, event_id) DO UPDATE
SET status = 'PROCESSING', attempt = seen.attempt + 1, receive_count = seen.receive_count + 1, owner = excluded.owner, lease_expires_at = excluded.lease_expires_at, next_attempt_at = NULL
WHERE seen.payload_hash = excluded.payload_hash
  AND seen.attempt < :max_attempts::int
  AND ((seen.status = 'FAILED' AND seen.next_attempt_at <= {inbox_now}) OR (seen.status IN ('RECEIVED', 'PROCESSING') AND COALESCE(seen.lease_expires_at <= {inbox_now}, true)))
