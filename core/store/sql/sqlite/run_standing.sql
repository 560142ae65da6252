SELECT state, because, settings, actor
FROM operation_runs
WHERE request_id = :request_id
