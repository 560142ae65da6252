SELECT seq, kind, object_id, amount, currency, reference, at
FROM ledger
WHERE seq > :after
ORDER BY seq
LIMIT :limit
