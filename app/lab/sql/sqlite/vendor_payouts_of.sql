SELECT id, amount, currency, reference
FROM vendor_payouts
WHERE reference = :reference
ORDER BY seq
