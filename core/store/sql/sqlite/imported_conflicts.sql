-- As a store counts them: eight hashes of a key have a place of their own, all others share the first one.
SELECT scope, operation_type, idempotency_key, slot, CASE slot WHEN 0 THEN x'' ELSE min(payload_hash) END, 'mismatch', '',
  sum(times), min(first_at), max(last_at)
FROM (
  SELECT *, CASE WHEN payload_hash IS NULL OR place > 8 THEN 0 ELSE place END AS slot
  FROM (
    SELECT scope, operation_type, idempotency_key, payload_hash, count(*) AS times, min(at) AS first_at,
      max(at) AS last_at,
      row_number() OVER (PARTITION BY scope, operation_type, idempotency_key
        ORDER BY payload_hash IS NULL, min(at), min(line)) AS place
    FROM temp.imported
    WHERE outcome = 'conflict'
    GROUP BY scope, operation_type, idempotency_key, payload_hash
  )
)
GROUP BY scope, operation_type, idempotency_key, slot
ORDER BY scope, operation_type, idempotency_key, slot
