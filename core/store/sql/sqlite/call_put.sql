-- Behind the lock of the record, or of the row that is there. What an earlier life of its key has left begins anew.
INSERT INTO outbound_calls (vendor, operation, call_key, scope, operation_type, idempotency_key, step, state, owner,
  fence, sends, open_sends, ref, reply, error_code, created_at, updated_at, first_sent_at, answer_by, expires_at)
VALUES (:vendor, :vendor_operation, :call_key, :scope, :operation, :key, :step, :state, :owner,
  :fence, :sends, :open_sends, :ref, :reply, :error_code, :created_at, :updated_at, :first_sent_at, :answer_by, :expires_at)
ON CONFLICT (vendor, operation, call_key) DO UPDATE
SET state = excluded.state,
  owner = excluded.owner,
  fence = excluded.fence,
  sends = excluded.sends,
  open_sends = excluded.open_sends,
  ref = excluded.ref,
  reply = excluded.reply,
  error_code = excluded.error_code,
  created_at = excluded.created_at,
  updated_at = excluded.updated_at,
  first_sent_at = excluded.first_sent_at,
  answer_by = excluded.answer_by,
  expires_at = excluded.expires_at
