SELECT item, identity, outcome, detail
FROM run_items
WHERE request_id = :request_id
ORDER BY item
