-- The same request again. Another one with this key changes nothing. Its attempts go on being counted.
UPDATE idempotency_client_calls
SET state = 'open', headers = :headers, body = :body, preset = :preset, updated_at = :at
WHERE operation = :operation AND key = :key AND method = :method AND url = :url AND body_digest = :body_digest
