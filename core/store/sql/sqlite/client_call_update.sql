UPDATE idempotency_client_calls
SET state = :state, attempts = :attempts, status = coalesce(:status, status), reason = :reason, updated_at = :at,
  body = CASE WHEN :state = 'confirmed' THEN NULL ELSE body END
WHERE operation = :operation AND key = :key
