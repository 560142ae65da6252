-- Only at its end is known how long before the time of its file it begins.
UPDATE temp.imported
SET at = at - :span
WHERE line > :before
