INSERT INTO temp.imported_deliveries (digest, source, event_id, first_seen, processed, result)
VALUES (:digest, :source, :event_id, :first_seen, :processed, :result)
ON CONFLICT DO NOTHING
