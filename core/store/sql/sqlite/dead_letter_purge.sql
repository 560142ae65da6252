-- A letter that nobody has decided about stays however old it is.
DELETE FROM dead_letters
WHERE id IN (
  SELECT id
  FROM dead_letters
  WHERE state <> 'DEAD' AND settled_at <= :now - :retention
  LIMIT :batch
)
