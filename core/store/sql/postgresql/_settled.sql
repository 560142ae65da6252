SELECT scope, operation_type, idempotency_key, {now} AS now
    FROM idempotency_records
    WHERE expires_at <= {now} - :grace * interval '1 microsecond' AND NOT hold
      AND status IN ('SUCCEEDED', 'FAILED_FINAL') AND {sane_fence}
