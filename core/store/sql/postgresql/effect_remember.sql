-- The record that leads to it lives on, and what it leads to as long as it, in whichever life of its key. None: it is
-- for ever. Of an orphan's nobody knew for how long.
UPDATE effects
SET fence = GREATEST(fence, :fence),
  expires_at = CASE
    WHEN expires_at < {now} + :keep * interval '1 microsecond' OR expires_at = {endless} THEN {now} + :keep * interval '1 microsecond'
    ELSE expires_at
  END
WHERE effect_id = :effect_id AND state = 'DONE'
RETURNING ref
