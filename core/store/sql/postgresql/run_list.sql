-- Without their plans, which may be large.
SELECT r.request_id, r.verb, r.binding, '', {run_rest}
FROM operation_runs AS r
ORDER BY r.started_at DESC
LIMIT :limit
