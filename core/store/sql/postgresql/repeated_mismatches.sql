-- The first arrival of each request is in the journal, and those after it are only counted. Of what an imported log tells, all
-- are in the journal. They are said to come in the state that their record had when the last one did.
SELECT c.count, c.first_at, c.last_at, (
    SELECT j.to_state
    FROM idempotency_transitions AS j
    WHERE j.scope = c.scope AND j.operation_type = c.operation_type AND j.idempotency_key = c.idempotency_key
      AND j.at <= c.last_at
    ORDER BY j.seq DESC
    LIMIT 1
  )
FROM idempotency_conflicts AS c
WHERE c.kind = 'mismatch' AND c.count > 1 AND c.last_at >= :from AND c.first_at < :until
  AND (
    SELECT count(*)
    FROM idempotency_transitions AS j
    WHERE j.scope = c.scope AND j.operation_type = c.operation_type AND j.idempotency_key = c.idempotency_key
      AND j.event = 'mismatch' AND j.at >= (
        SELECT min(k.first_at)
        FROM idempotency_conflicts AS k
        WHERE k.scope = c.scope AND k.operation_type = c.operation_type AND k.idempotency_key = c.idempotency_key
          AND k.kind = 'mismatch'
      )
  ) < (
    SELECT sum(k.count)
    FROM idempotency_conflicts AS k
    WHERE k.scope = c.scope AND k.operation_type = c.operation_type AND k.idempotency_key = c.idempotency_key
      AND k.kind = 'mismatch'
  )
