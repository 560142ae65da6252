SELECT {audit_columns}
FROM idempotency_audit
WHERE identity = :identity AND binding = :binding AND seq < :before AND (:database = '' OR database = :database)
ORDER BY seq DESC
LIMIT :limit
