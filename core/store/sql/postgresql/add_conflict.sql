-- Of two at once one is first: the other counts, or takes the next slot.
INSERT INTO idempotency_conflicts (scope, operation_type, idempotency_key, slot, presented_hash, kind, principal, count,
  first_at, last_at)
VALUES (:scope, :operation, :key, :slot, :presented_hash, :kind, :principal, 1, :at, :at)
ON CONFLICT DO NOTHING
