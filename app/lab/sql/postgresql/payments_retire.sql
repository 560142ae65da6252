UPDATE payments
SET effect_id = effect_id || '@' || id
WHERE effect_id = :effect_id
