SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'fencepost_schema'),
  EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = 'svc_idempotency_keys'), 1
