-- No row: it is done, or somebody newer is at it. Only what an earlier life of the record's key did, which had an
-- outcome, may be over: what an earlier attempt of this life did is done for the later ones, whenever that was.
INSERT INTO effects (effect_id, fence, state, expires_at)
VALUES (:effect_id, :fence, 'DOING', :now + :keep)
ON CONFLICT (effect_id) DO UPDATE
SET fence = excluded.fence,
  state = 'DOING',
  ref = NULL,
  expires_at = excluded.expires_at
WHERE effects.fence <= excluded.fence
  AND (effects.state <> 'DONE' OR (effects.fence = :past_fence AND effects.expires_at <= :now))
RETURNING fence
