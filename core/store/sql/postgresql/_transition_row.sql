seq, scope, operation_type, idempotency_key, from_state, to_state, event, fence, attempt, owner, actor, reason, at
