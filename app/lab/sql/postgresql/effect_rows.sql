SELECT effect_id
FROM payments
WHERE effect_id = :effect_id
UNION
SELECT effect_id
FROM refunds
WHERE effect_id = :effect_id
UNION
SELECT effect_id
FROM ledger
WHERE effect_id = :effect_id
