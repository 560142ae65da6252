INSERT INTO vendor_payouts (id, idempotency_key, reference, amount, currency, at)
VALUES (:id, :idempotency_key, :reference, :amount, :currency, :now)
