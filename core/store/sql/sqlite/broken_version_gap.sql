-- The first of each subject that is there began its history: older ones may be forgotten.
SELECT i.event_id, i.consumer, i.source, i.event_id, i.received_at, i.subject || ' ' || i.version || ' after ' || i.before
FROM (
  SELECT consumer, source, event_id, subject, version, received_at,
    lag(version) OVER (PARTITION BY consumer, source, subject ORDER BY version) AS before
  FROM inbox_messages
  WHERE version IS NOT NULL AND subject IS NOT NULL
) AS i
WHERE i.version > i.before + 1
LIMIT :most
