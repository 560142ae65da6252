SELECT TRUE AS won, updated_at AS now, {record}
FROM up
UNION ALL
SELECT FALSE, {now}, {record}
FROM idempotency_records
WHERE {key} AND NOT EXISTS (SELECT 1 FROM up)
