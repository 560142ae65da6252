SELECT state, ref
FROM effects
WHERE effect_id = :effect_id
