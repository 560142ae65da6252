-- The heads that were tried in vain, are dead or were left by their relay, and how many messages wait behind each.
SELECT h.destination, h.ordering_key, h.seq, h.event_id, h.status, h.attempts, h.attempt, h.next_attempt_at, h.created_at, g.waiting,
  count(*) OVER (),
  CAST(sum(g.waiting) OVER () AS BIGINT)
FROM (
  SELECT min(seq) AS seq, count(*) - 1 AS waiting
  FROM outbox_messages
  WHERE ordering_key IS NOT NULL AND status <> 'SENT' AND discarded_at IS NULL
  GROUP BY destination, ordering_key
  HAVING count(*) > 1
) AS g
JOIN outbox_messages AS h ON h.seq = g.seq
WHERE h.status = 'DEAD' OR (h.status = 'PENDING' AND h.attempt > 0) OR (h.status = 'SENDING' AND h.lease_expires_at <= :now)
ORDER BY g.waiting DESC, h.seq
LIMIT 200
