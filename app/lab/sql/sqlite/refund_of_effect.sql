SELECT {refund_columns}
FROM refunds
WHERE effect_id = :effect_id
