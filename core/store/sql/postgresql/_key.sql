scope = :scope AND operation_type = :operation AND idempotency_key = :key
