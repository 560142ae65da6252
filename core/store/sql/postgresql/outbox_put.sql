-- Behind the row's lock. What cannot be read is left as it stands.
UPDATE outbox_messages
SET status = :status,
  owner = :owner::uuid,
  lease_expires_at = :lease_expires_at,
  attempt = :attempt,
  next_attempt_at = :next_attempt_at,
  attempts = COALESCE(:attempts, attempts),
  headers = COALESCE(:headers, headers),
  sent_at = :sent_at,
  discarded_at = :discarded_at
WHERE seq = :seq
