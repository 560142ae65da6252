(
  SELECT g.*
  FROM (
    SELECT consumer, source, event_id, subject, version, received_at,
      lag(version) OVER (PARTITION BY consumer, source, subject ORDER BY version) AS before,
      max(CASE
        WHEN status <> 'RECEIVED' AND COALESCE(result, '') NOT LIKE 'overtaken by version %'
          AND COALESCE(processed_at, received_at) >= (
            SELECT p.processed_at
            FROM inbox_messages AS p
            WHERE p.status = 'PROCESSED' AND p.processed_at IS NOT NULL
            ORDER BY p.processed_at
            LIMIT 1) THEN 1
        ELSE 0
      END) OVER (PARTITION BY consumer, source, subject ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING
        AND 1 PRECEDING) AS known
    FROM inbox_messages
    WHERE version IS NOT NULL AND subject IS NOT NULL
  ) AS g
  WHERE g.version > g.before + 1
)
