SELECT scope, operation_type, idempotency_key
  FROM idempotency_records
  WHERE expires_at <= :now - :grace AND NOT hold AND status IN ('SUCCEEDED', 'FAILED_FINAL') AND {sane_fence}
