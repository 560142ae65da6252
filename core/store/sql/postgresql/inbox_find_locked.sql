SELECT {inbox}
FROM inbox_messages
WHERE {inbox_key}
FOR UPDATE
