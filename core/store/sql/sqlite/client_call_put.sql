INSERT INTO idempotency_client_calls ({client_call_columns})
VALUES (:operation, :key, :method, :url, :headers, :body, :body_digest, :preset, 'open', 0, NULL, '', :at, :at)
ON CONFLICT (operation, key) DO NOTHING
