SELECT id, amount, currency, reference, created_at
FROM payments
WHERE id = :id
