-- What logs tell of several requests under one key stands at the end of the reason. A key may be told with its scope.
SELECT scope, operation_type, idempotency_key, max(CASE
  WHEN idempotency_key = :who OR scope || '/' || operation_type || '/' || idempotency_key = :who THEN 2
  WHEN owner = :who OR actor = :who THEN 1 ELSE 0 END)
FROM idempotency_transitions
WHERE seq >= :first AND seq < :end AND (owner = :who OR actor = :who OR idempotency_key = :who
  OR scope || '/' || operation_type || '/' || idempotency_key = :who OR right(reason, length(:told)) = :told)
GROUP BY scope, operation_type, idempotency_key
ORDER BY max(seq) DESC
LIMIT 100
