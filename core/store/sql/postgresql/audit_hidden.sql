SELECT row_security_active(to_regclass('idempotency_audit')) OR row_security_active(to_regclass('idempotency_chain'))
