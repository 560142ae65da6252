UPDATE refunds
SET status = :status, payout_id = :payout_id
WHERE id = :id AND status = 'pending'
