SELECT consumer, source, event_id, payload_hash, 'mismatch', source, deaths, first_at, dead_at
FROM dead_letters
WHERE event_id = :event_id AND source = :source AND consumer = :consumer AND kind = 'conflict'
ORDER BY dead_at DESC, id
