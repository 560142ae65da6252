ORDER BY expires_at, scope, operation_type, idempotency_key
  LIMIT :batch
