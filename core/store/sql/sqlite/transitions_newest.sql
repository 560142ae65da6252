SELECT DISTINCT from_state, to_state, event
FROM (SELECT from_state, to_state, event FROM idempotency_transitions ORDER BY seq DESC LIMIT 200000) AS t
