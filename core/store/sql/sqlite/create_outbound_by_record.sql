CREATE INDEX outbound_calls_by_record ON outbound_calls (scope, operation_type, idempotency_key)
