-- The first of each subject that is there began its history: older ones may be forgotten. So may be one between two that
-- are there, for what waits, is dead or was overtaken stays longer than others. It is not, where an earlier version was
-- handled in its turn, and late enough for what came behind it to be there as well: what is forgotten was handled
-- before the first that is left.
SELECT i.event_id, i.consumer, i.source, i.event_id, i.received_at,
  i.subject || ' ' || i.version || ' after ' || i.before
FROM {version_gaps} AS i
WHERE i.known = 1
LIMIT :most
