SELECT fence, state
FROM effects
WHERE effect_id = :effect_id
