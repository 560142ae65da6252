ALTER TABLE operation_runs ADD COLUMN beat_at INTEGER
