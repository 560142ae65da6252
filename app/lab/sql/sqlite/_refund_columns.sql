id, charge_id, amount, currency, status, reference, payout_id, created_at, voided_at
