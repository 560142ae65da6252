CREATE INDEX idempotency_transitions_key ON idempotency_transitions (scope, operation_type, idempotency_key, seq)
