SELECT seq, consumer, event_id, refund_id, at
FROM notices
WHERE seq > :after
ORDER BY seq
LIMIT :limit
