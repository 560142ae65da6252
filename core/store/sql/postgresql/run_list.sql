-- Without their plans, which may be large.
SELECT r.request_id, r.verb, r.binding, '', r.settings, r.actor, r.reason, r.total, r.state, r.because, r.runner, r.started_at,
  r.finished_at, r.beat_at,
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome IN ('changed', 'already_done')),
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome = 'skipped'),
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome = 'failed'),
  {now}
FROM operation_runs AS r
ORDER BY r.started_at DESC
LIMIT :limit
