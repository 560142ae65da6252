UPDATE ledger
SET effect_id = effect_id || '@' || seq
WHERE effect_id = :effect_id
