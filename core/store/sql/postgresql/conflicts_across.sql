-- Those that began before the range or went on after it: not all of their arrivals are within.
SELECT principal, count, first_at, last_at
FROM idempotency_conflicts
WHERE kind = 'mismatch' AND last_at >= :from AND first_at < :until AND (first_at < :from OR last_at >= :until)
