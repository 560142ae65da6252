UPDATE idempotency_conflicts
SET count = count + 1, last_at = :at
WHERE {key} AND slot = :slot
