-- Pages are ordered by what never changes: a row sorted by updated_at would move under the cursor.
CREATE INDEX idempotency_records_created ON idempotency_records (created_at, scope, operation_type, idempotency_key)
