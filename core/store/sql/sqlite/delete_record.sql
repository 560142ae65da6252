DELETE FROM idempotency_records
WHERE {key} AND fence = :seen_fence AND status = :seen_status
