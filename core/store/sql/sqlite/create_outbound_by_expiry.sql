CREATE INDEX outbound_calls_by_expiry ON outbound_calls (expires_at)
