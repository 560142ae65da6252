CASE WHEN hold THEN 'HELD' WHEN expires_at <= :now THEN 'EXPIRED' ELSE status END
