ALTER TABLE operation_runs ADD COLUMN runner TEXT
