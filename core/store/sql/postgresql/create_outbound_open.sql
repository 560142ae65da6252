-- Calls whose outcome nobody knows are few among all that were made.
CREATE INDEX IF NOT EXISTS outbound_calls_open ON outbound_calls (created_at)
WHERE state IN ('SENDING', 'UNKNOWN')
