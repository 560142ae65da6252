r.settings, r.actor, r.reason, r.total, r.state, r.because, r.runner, r.started_at, r.finished_at, r.beat_at,
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome IN ('changed', 'already_done')),
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome = 'skipped'),
  (SELECT count(*) FROM run_items AS i WHERE i.request_id = r.request_id AND i.outcome = 'failed'),
  {now}
