INSERT INTO operation_runs (request_id, verb, binding, plan, actor, reason, state, started_at, settings, total)
VALUES (:request_id, :verb, :binding, :plan, :actor, :reason, 'RUNNING', :now, :settings, :total)
ON CONFLICT (request_id) DO NOTHING
