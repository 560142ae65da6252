UPDATE inbox_messages
SET lease_expires_at = {now} + :lease * interval '1 microsecond'
WHERE {inbox_key} AND status = 'PROCESSING' AND owner = :owner::uuid
