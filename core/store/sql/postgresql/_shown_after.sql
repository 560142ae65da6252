CASE WHEN hold THEN 'HELD' WHEN expires_at <= updated_at THEN 'EXPIRED' ELSE status END
