-- Of a request without an outcome, whose record is about to be deleted.
UPDATE effects
SET expires_at = {endless}
WHERE state = 'DONE' AND expires_at < {endless} AND fence IN (SELECT CAST(e AS bigint) FROM json_array_elements_text(CAST(:fences AS json)) AS e)
