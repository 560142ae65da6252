INSERT INTO ledger (kind, object_id, amount, currency, reference, effect_id, at)
VALUES (:kind, :object_id, :amount, :currency, :reference, :effect_id, :now)
