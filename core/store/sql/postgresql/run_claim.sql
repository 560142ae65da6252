UPDATE operation_runs
SET runner = :runner, beat_at = {now}
WHERE request_id = :request_id AND (runner IS NULL OR runner = :runner OR beat_at IS NULL OR beat_at <= {now} - :lease * interval '1 microsecond')
RETURNING request_id
