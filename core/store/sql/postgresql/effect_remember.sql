-- The record that leads to it lives on, and what it leads to as long as it. None: it is for ever.
UPDATE effects
SET expires_at = CASE
    WHEN expires_at < {now} + :keep * interval '1 microsecond' THEN {now} + :keep * interval '1 microsecond'
    ELSE expires_at
  END
WHERE effect_id = :effect_id AND state = 'DONE'
RETURNING ref
