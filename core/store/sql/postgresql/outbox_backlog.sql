-- What a disabled destination is owed is not due.
WITH waiting AS (
  SELECT count(*) AS pending,
    count(*) FILTER (WHERE c.next_attempt_at <= :now AND {outbox_enabled}) AS due,
    min(c.next_attempt_at) FILTER (WHERE c.next_attempt_at <= :now AND {outbox_enabled}) AS due_since,
    min(c.seq) AS seq
  FROM outbox_messages AS c
  WHERE c.status = 'PENDING'
),
sending AS (
  SELECT count(*) AS sending, min(seq) AS seq
  FROM outbox_messages
  WHERE status = 'SENDING'
)
SELECT w.pending, w.due, s.sending,
  (SELECT created_at FROM outbox_messages WHERE seq = least(w.seq, s.seq)),
  w.due_since,
  (SELECT count(*) FROM outbox_destinations)
FROM waiting AS w, sending AS s
