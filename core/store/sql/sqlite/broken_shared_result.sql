SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.created_at, s.response_ref_type || ' ' || s.response_ref_id
FROM (
  SELECT operation_type, response_ref_type, response_ref_id
  FROM idempotency_records
  WHERE status = 'SUCCEEDED' AND response_ref_id IS NOT NULL
  GROUP BY operation_type, response_ref_type, response_ref_id
  HAVING count(*) > 1
) AS s
JOIN idempotency_records AS r ON r.operation_type = s.operation_type AND r.response_ref_type = s.response_ref_type
  AND r.response_ref_id = s.response_ref_id AND r.status = 'SUCCEEDED'
LIMIT :most
