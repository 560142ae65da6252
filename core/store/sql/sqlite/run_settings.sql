UPDATE operation_runs
SET settings = :settings
WHERE request_id = :request_id AND state IN ('RUNNING', 'PAUSED')
RETURNING request_id
