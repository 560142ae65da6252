  SELECT request_id
  FROM operation_runs
  WHERE state IN ('DONE', 'STOPPED') AND finished_at <= :now - :retention
  ORDER BY finished_at, request_id
  LIMIT :batch
