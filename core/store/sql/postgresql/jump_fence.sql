-- So far beyond that nobody can draw his way up to it while this session stands still between looking and setting.
-- No row: somebody else jumped meanwhile. Needs UPDATE on the sequence.
SELECT setval('idempotency_fence_seq', :fence + 1000000000)
WHERE {last_fence} < :fence
