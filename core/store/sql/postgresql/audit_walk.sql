SELECT {audit_columns}
FROM idempotency_audit
WHERE seq > :after
ORDER BY seq
LIMIT :limit
