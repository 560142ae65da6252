-- Of the newest entries only: the whole journal is larger than all that is looked at here.
SELECT DISTINCT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.updated_at, r.fence || ' after ' || t.fence
FROM (SELECT scope, operation_type, idempotency_key, fence FROM idempotency_transitions ORDER BY seq DESC LIMIT 200000) AS t
JOIN idempotency_records AS r ON r.scope = t.scope AND r.operation_type = t.operation_type
  AND r.idempotency_key = t.idempotency_key
WHERE t.fence > r.fence
LIMIT :most
