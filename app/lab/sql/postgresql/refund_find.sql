SELECT {refund_columns}
FROM refunds
WHERE id = :id
