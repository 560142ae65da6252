UPDATE inbox_messages
SET status = CASE WHEN attempt >= :max_attempts THEN 'DEAD' ELSE 'FAILED' END,
  next_attempt_at = CASE WHEN attempt >= :max_attempts THEN NULL ELSE :now + :delay END,
  lease_expires_at = NULL
WHERE consumer = :consumer AND source = :source AND event_id = :event_id AND status = 'PROCESSING' AND owner = :owner
