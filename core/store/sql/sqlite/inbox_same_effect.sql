SELECT {inbox}
FROM inbox_messages
WHERE consumer = :consumer AND effect_key = :effect_key AND NOT ({inbox_key})
