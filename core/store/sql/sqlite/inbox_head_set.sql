UPDATE inbox_heads
SET version = :version
WHERE {inbox_head}
