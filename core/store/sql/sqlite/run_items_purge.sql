DELETE FROM run_items
WHERE request_id IN (
{runs_behind})
