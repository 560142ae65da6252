UPDATE inbox_messages
SET lease_expires_at = :now + :lease
WHERE {inbox_key} AND status = 'PROCESSING' AND owner = :owner
