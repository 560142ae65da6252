SELECT event_id, max(dead_at)
FROM dead_letters
WHERE dead_at >= :from AND dead_at < :until AND kind IN (:first_kind, :second_kind, :third_kind)
GROUP BY event_id
ORDER BY max(dead_at) DESC
LIMIT :most
