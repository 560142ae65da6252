-- Behind the row's lock.
UPDATE inbox_messages
SET status = :status,
  owner = :owner,
  lease_expires_at = :lease_expires_at,
  receive_count = :receive_count,
  attempt = :attempt,
  next_attempt_at = :next_attempt_at,
  processed_at = :processed_at,
  result = :result,
  attempts = :attempts,
  effect_key = :effect_key
WHERE {inbox_key}
