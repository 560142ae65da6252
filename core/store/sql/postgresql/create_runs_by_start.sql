CREATE INDEX operation_runs_start ON operation_runs (started_at)
