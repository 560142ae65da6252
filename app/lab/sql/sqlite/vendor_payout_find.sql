SELECT id, amount, currency, reference
FROM vendor_payouts
WHERE idempotency_key = :idempotency_key
