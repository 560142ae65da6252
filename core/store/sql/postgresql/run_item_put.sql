INSERT INTO run_items (request_id, item, identity, outcome, detail, at)
VALUES (:request_id, :item, :identity, :outcome, :detail, {now})
ON CONFLICT (request_id, item) DO UPDATE
SET outcome = excluded.outcome, detail = excluded.detail, at = excluded.at
WHERE run_items.outcome NOT IN ('changed', 'already_done')
