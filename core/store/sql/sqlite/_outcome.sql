response_code = :response_code,
response_headers = :response_headers,
response_body = :response_body,
response_body_digest = :response_body_digest,
response_truncated = :response_truncated,
response_ref_type = :response_ref_type,
response_ref_id = :response_ref_id,
error_code = :error_code
