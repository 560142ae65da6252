SELECT {audit_columns}
FROM idempotency_audit
WHERE request_id = :request_id AND item = :item
ORDER BY outcome = 'changed' DESC, seq DESC
LIMIT 1
