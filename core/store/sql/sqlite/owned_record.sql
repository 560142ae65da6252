-- Locked, so that whoever fences the owner waits for what it is about to commit.
SELECT fence
FROM idempotency_records
WHERE {key} AND status = 'IN_PROGRESS' AND owner_execution_id = :owner AND fence = :fence
