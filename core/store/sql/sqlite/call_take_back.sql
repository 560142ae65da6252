-- A later life of the key has it done anew, and does not wait until it would have been forgotten.
UPDATE outbound_calls
SET error_code = :error_code, expires_at = :now
WHERE vendor = :vendor AND operation = :vendor_operation AND call_key = :call_key AND state = 'DONE'
