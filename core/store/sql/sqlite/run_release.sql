UPDATE operation_runs
SET runner = NULL, beat_at = NULL
WHERE request_id = :request_id AND runner = :runner
