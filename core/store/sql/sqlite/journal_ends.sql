-- Two look-ups at the ends of the primary key.
SELECT (SELECT min(seq) FROM idempotency_transitions), (SELECT max(seq) FROM idempotency_transitions)
