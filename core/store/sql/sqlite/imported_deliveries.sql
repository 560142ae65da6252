SELECT event_id, source, first_seen, processed, result
FROM temp.imported_deliveries
ORDER BY source, event_id, first_seen, line
