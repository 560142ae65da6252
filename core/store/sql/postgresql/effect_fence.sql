SELECT fence, state, COALESCE(expires_at > {now}, TRUE)
FROM effects
WHERE effect_id = :effect_id
