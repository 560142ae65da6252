UPDATE operation_runs
SET state = :state,
  because = :because,
  finished_at = CASE WHEN :over THEN :now END
WHERE request_id = :request_id AND state IN ('RUNNING', 'PAUSED')
RETURNING request_id
