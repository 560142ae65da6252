SELECT event_id, max(settled_at)
FROM dead_letters
WHERE dead_at < :until AND state = :state AND settled_at >= :from AND settled_at < :until
  AND kind IN (:first_kind, :second_kind, :third_kind)
GROUP BY event_id
ORDER BY max(settled_at) DESC
LIMIT :most
