-- A later life of the key has it done anew, and does not wait until it would have been forgotten.
UPDATE outbound_calls
SET expires_at = {now}
WHERE {key} AND state = 'DONE' AND expires_at > {now}
RETURNING step
