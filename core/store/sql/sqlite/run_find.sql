SELECT r.request_id, r.verb, r.binding, r.plan, {run_rest}
FROM operation_runs AS r
WHERE r.request_id = :request_id
