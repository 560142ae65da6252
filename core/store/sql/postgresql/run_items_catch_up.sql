-- What was changed, and not written down by whoever changed it: a process that was killed.
INSERT INTO run_items (request_id, item, identity, outcome, detail, at)
SELECT a.request_id, a.item, a.identity, a.outcome, a.detail, {now}
FROM idempotency_audit AS a
WHERE a.request_id = :request_id AND a.outcome = 'changed'
ON CONFLICT (request_id, item) DO UPDATE
SET outcome = excluded.outcome, detail = excluded.detail, at = excluded.at
WHERE run_items.outcome NOT IN ('changed', 'already_done')
