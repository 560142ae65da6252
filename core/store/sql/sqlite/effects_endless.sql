-- Of a request without an outcome, whose record is about to be deleted.
UPDATE effects
SET expires_at = {endless}
WHERE state = 'DONE' AND expires_at < {endless} AND fence IN (SELECT value FROM json_each(:fences))
