SELECT fence
FROM effects
WHERE effect_id = :effect_id
