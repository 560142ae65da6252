INSERT INTO fencepost_schema (version, applied_at)
VALUES (:version, COALESCE(:at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000))
