CASE WHEN r.hold THEN 'HELD' WHEN r.expires_at <= clock.now THEN 'EXPIRED' ELSE r.status END
