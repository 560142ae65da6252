-- Compare and swap on what was judged, where nothing but the outcome changes.
UPDATE idempotency_records
SET status = :status,
  previous_status = :previous_status,
  {outcome},
  updated_at = :updated_at,
  completed_at = :completed_at,
  expires_at = :expires_at
WHERE {key} AND fence = :seen_fence AND status = :seen_status
