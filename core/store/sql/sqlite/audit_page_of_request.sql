SELECT {audit_columns}
FROM idempotency_audit
WHERE request_id = :request_id AND seq < :before AND (:database = '' OR database = :database)
ORDER BY seq DESC
LIMIT :limit
