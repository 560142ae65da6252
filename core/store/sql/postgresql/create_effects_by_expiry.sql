CREATE INDEX effects_by_expiry ON effects (expires_at)
WHERE expires_at IS NOT NULL
