SELECT {transition_row}
FROM idempotency_transitions
WHERE {key}
ORDER BY seq
