INSERT INTO payments (id, amount, currency, reference, effect_id, created_at)
VALUES (:id, :amount, :currency, :reference, :effect_id, :now)
