((event = 'reserve' AND attempt = 1) OR event = 'reopen' OR to_state IN ('SUCCEEDED', 'FAILED_FINAL'))
