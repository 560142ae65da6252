-- A plan's item changes its row once, whoever runs the plan and however often.
CREATE UNIQUE INDEX IF NOT EXISTS idempotency_audit_once ON idempotency_audit (request_id, item)
WHERE outcome = 'changed'
