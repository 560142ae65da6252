SELECT version
FROM inbox_heads
WHERE {inbox_head}
