-- What a reference does not say of its kind is the same kind.
SELECT r.idempotency_key, r.scope, r.operation_type, r.idempotency_key, r.created_at,
  CASE WHEN s.kind = '' THEN s.response_ref_id ELSE s.kind || ' ' || s.response_ref_id END
FROM (
  SELECT operation_type, COALESCE(response_ref_type, '') AS kind, response_ref_id
  FROM idempotency_records
  WHERE status = 'SUCCEEDED' AND response_ref_id IS NOT NULL
  GROUP BY operation_type, COALESCE(response_ref_type, ''), response_ref_id
  HAVING count(*) > 1
) AS s
JOIN idempotency_records AS r ON r.operation_type = s.operation_type AND COALESCE(r.response_ref_type, '') = s.kind
  AND r.response_ref_id = s.response_ref_id AND r.status = 'SUCCEEDED'
LIMIT :most
