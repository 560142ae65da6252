SELECT COALESCE(SUM(amount), 0)
FROM refunds
WHERE charge_id = :charge_id AND status IN ('pending', 'succeeded')
