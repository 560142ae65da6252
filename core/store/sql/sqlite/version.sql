SELECT max(version) FROM fencepost_schema
