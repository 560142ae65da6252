DELETE FROM effects
WHERE effect_id IN (
  SELECT effect_id
  FROM effects
  WHERE expires_at IS NOT NULL AND expires_at <= :now
  ORDER BY expires_at
  LIMIT :batch
)
