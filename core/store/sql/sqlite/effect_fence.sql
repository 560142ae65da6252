SELECT fence, state, COALESCE(expires_at > :now, 1)
FROM effects
WHERE effect_id = :effect_id
