-- Older versions did not keep two events from having one effect. The first of them stands for it from now on, the others
-- stay as they are.
UPDATE inbox_messages
SET effect_key = dedupe_key
WHERE (consumer, source, event_id) IN (
  SELECT consumer, source, event_id
  FROM (
    SELECT consumer, source, event_id,
      row_number() OVER (PARTITION BY consumer, dedupe_key ORDER BY received_at, source, event_id) AS nth
    FROM inbox_messages
    WHERE dedupe_key IS NOT NULL AND status IN ('PROCESSING', 'PROCESSED')
  ) AS effects
  WHERE nth = 1
)
