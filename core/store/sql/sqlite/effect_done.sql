UPDATE effects
SET state = 'DONE', ref = :ref
WHERE effect_id = :effect_id AND fence = :fence AND state = 'DOING'
