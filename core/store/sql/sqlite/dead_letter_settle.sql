-- Behind the row's lock.
UPDATE dead_letters
SET state = :state,
  settled_at = :settled_at,
  settled_by = :settled_by,
  settled_because = :settled_because,
  run_id = COALESCE(:run_id, run_id)
WHERE id = :id
