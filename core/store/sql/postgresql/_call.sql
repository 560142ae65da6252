vendor, operation, call_key, scope, operation_type, idempotency_key, step, state, owner::text, fence, sends, open_sends, ref, reply,
  error_code, created_at, updated_at, first_sent_at, answer_by, expires_at
