ALTER TABLE operation_runs ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'
