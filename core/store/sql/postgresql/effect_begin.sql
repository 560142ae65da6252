-- No row: it is done, or somebody newer is at it. Only a first attempt may find something that is over: what an earlier
-- attempt at the same record did is done for the later ones, whenever that was.
INSERT INTO effects (effect_id, fence, state, expires_at)
VALUES (:effect_id, :fence, 'DOING', {now} + :keep * interval '1 microsecond')
ON CONFLICT (effect_id) DO UPDATE
SET fence = excluded.fence,
  state = 'DOING',
  ref = NULL,
  expires_at = excluded.expires_at
WHERE effects.fence <= excluded.fence
  AND (effects.state <> 'DONE' OR (:attempt = 1 AND effects.expires_at <= {now}))
RETURNING fence
