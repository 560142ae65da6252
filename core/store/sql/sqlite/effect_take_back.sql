UPDATE effects
SET expires_at = :now
WHERE effect_id = :effect_id AND state = 'DONE' AND (expires_at IS NULL OR expires_at > :now)
