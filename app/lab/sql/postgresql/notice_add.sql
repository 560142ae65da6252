INSERT INTO notices (consumer, event_id, refund_id, at)
VALUES (:consumer, :event_id, :refund_id, :now)
