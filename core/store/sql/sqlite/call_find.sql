SELECT {call}
FROM outbound_calls
WHERE vendor = :vendor AND operation = :vendor_operation AND call_key = :call_key
