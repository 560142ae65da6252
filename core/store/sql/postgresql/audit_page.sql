SELECT {audit_columns}
FROM idempotency_audit
WHERE seq < :before AND (:database::text = '' OR database = :database)
ORDER BY seq DESC
LIMIT :limit
