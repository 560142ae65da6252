-- What a line does not number: attempts are counted from where each life of a key begins, on from what the log tells
-- in between, from 1 where it counts them from 0, and from the second on where it tells of none before a retry. Who is
-- refused or answered has no attempt, and 0 is no number of one there. And the highest fence so far: a store that
-- forgets a key with its fence draws a lower one for its next life, which is known by an earlier life that ended before.
UPDATE temp.imported
SET attempt = CASE
    WHEN s.attempt IS NULL THEN nullif(s.begun + max(s.ahead, 0), 0)
    ELSE s.attempt + s.zero_based
  END,
  restarts = s.restarts, reached = coalesce(s.fence, s.reached)
FROM (
  SELECT line, attempt, fence, begun, zero_based, restarts,
    coalesce(max(attempt + zero_based - begun)
      OVER (PARTITION BY scope, operation_type, idempotency_key, lives ORDER BY at, line), 0) AS ahead,
    max(fence) OVER (PARTITION BY scope, operation_type, idempotency_key, restarts ORDER BY at, line) AS reached
  FROM (
    SELECT *,
      max(begun > 0 AND attempt IS 0 AND after_state <> 'ABSENT' AND NOT refused)
        OVER (PARTITION BY scope, operation_type, idempotency_key) AS zero_based,
      sum(coalesce(born AND fence < highest AND (told_before = 'ABSENT'
          OR (lives > 1 AND told_before IN ('SUCCEEDED', 'FAILED_FINAL', 'EXPIRED'))), 0))
        OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line) AS restarts
    FROM (
      SELECT *,
        sum(begins) OVER (PARTITION BY scope, operation_type, idempotency_key, lives ORDER BY at, line)
          + (lives = 0 AND max(begins) OVER (PARTITION BY scope, operation_type, idempotency_key, lives)) AS begun
      FROM (
        SELECT *, sum(born) OVER one_key AS lives,
          max(fence) OVER (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
        FROM (
          SELECT line, scope, operation_type, idempotency_key, at, begins, attempt, fence, told_before, after_state,
            NOT begins AND coalesce(outcome, '') IN ('conflict', 'in_progress', 'replayed', 'fenced', 'held', 'expired')
              AS refused,
            begins AND outcome IS NOT 'taken_over' AND coalesce(nullif(before_state, 'UNKNOWN'), told_before, 'ABSENT')
              NOT IN ('IN_PROGRESS', 'FAILED_RETRYABLE', 'HELD') AS born
          FROM temp.imported
        )
        WINDOW one_key AS (PARTITION BY scope, operation_type, idempotency_key ORDER BY at, line)
      )
    )
  )
) AS s
WHERE s.line = imported.line
