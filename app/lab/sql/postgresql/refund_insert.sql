INSERT INTO refunds (id, charge_id, amount, currency, status, reference, effect_id, created_at)
VALUES (:id, :charge_id, :amount, :currency, :status, :reference, :effect_id, :now)
