INSERT INTO inbox_heads (consumer, source, subject)
VALUES (:consumer, :source, :subject)
ON CONFLICT DO NOTHING
