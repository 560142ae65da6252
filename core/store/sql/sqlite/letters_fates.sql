SELECT l.id, l.kind, l.state, l.deaths, l.run_id, o.status, COALESCE(o.attempt > 0, 0),
  CASE WHEN o.attempts <> '' THEN json_extract(o.attempts, '$[#-1].code') END,
  ({fate_inboxes}),
  ({fate_inboxes} AND i.status = 'PROCESSED'),
  ({fate_inboxes} AND i.status = 'DEAD'),
  ({fate_inboxes} AND i.status = 'FAILED'),
  l.kind = 'outbox' AND ({goes_elsewhere})
FROM dead_letters AS l
LEFT JOIN outbox_messages AS o ON o.event_id = l.event_id AND o.destination = l.destination AND o.source = l.source
WHERE l.id IN ({letters})
