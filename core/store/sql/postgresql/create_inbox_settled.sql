CREATE INDEX inbox_messages_settled ON inbox_messages (processed_at) WHERE status = 'PROCESSED'
