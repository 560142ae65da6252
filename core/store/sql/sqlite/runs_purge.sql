-- One that is paused or that nobody carries out stays however old it is.
DELETE FROM operation_runs
WHERE request_id IN (
{runs_behind})
  AND NOT EXISTS (SELECT 1 FROM run_items AS i WHERE i.request_id = operation_runs.request_id)
