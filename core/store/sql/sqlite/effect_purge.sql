-- An effect does not say whose it is. None of a request that is not at its end yet expired before that request began,
-- and one that was begun and not done is not known to have an outcome.
DELETE FROM effects
WHERE effect_id IN (
  SELECT effect_id
  FROM effects
  WHERE expires_at IS NOT NULL AND expires_at <= :now AND state = 'DONE'
    AND expires_at <= COALESCE((
      SELECT min(created_at)
      FROM idempotency_records
      WHERE status IN ('IN_PROGRESS', 'FAILED_RETRYABLE')), :now)
  ORDER BY expires_at
  LIMIT :batch
)
