UPDATE refunds
SET status = 'voided', voided_at = :now
WHERE id = :id AND status = 'succeeded'
