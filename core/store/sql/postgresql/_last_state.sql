(
    SELECT t.to_state
    FROM idempotency_transitions AS t
    WHERE t.scope = k.scope AND t.operation_type = k.operation_type AND t.idempotency_key = k.idempotency_key
    ORDER BY t.seq DESC
    LIMIT 1)
