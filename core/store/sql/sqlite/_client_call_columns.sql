operation, key, method, url, headers, body, body_digest, preset, state, attempts, status, reason, created_at, updated_at
