-- As octets: a damaged text must not be mended on its way to the hash.
SELECT seq, CAST(request_id AS BLOB), item, CAST(verb AS BLOB), CAST(database AS BLOB), CAST(binding AS BLOB), CAST(identity AS BLOB), CAST(outcome AS BLOB), CAST(detail AS BLOB), CAST(before_image AS BLOB), CAST(after_image AS BLOB), CAST(parameters AS BLOB), CAST(actor AS BLOB), CAST(reason AS BLOB), at, CAST(previous AS BLOB), CAST(hash AS BLOB)
FROM idempotency_audit
WHERE seq > :after
ORDER BY seq
LIMIT :limit
