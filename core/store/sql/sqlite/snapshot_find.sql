SELECT manifest, seal FROM fencepost_snapshot
