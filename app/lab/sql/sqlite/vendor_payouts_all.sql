SELECT id, amount, currency, reference
FROM vendor_payouts
ORDER BY seq
LIMIT :limit
