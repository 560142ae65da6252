CREATE INDEX IF NOT EXISTS refunds_by_charge ON refunds (charge_id)
