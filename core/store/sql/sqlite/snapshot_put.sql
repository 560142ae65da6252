INSERT INTO fencepost_snapshot (id, format, manifest, seal)
VALUES (1, :format, :manifest, :seal)
