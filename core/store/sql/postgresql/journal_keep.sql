SELECT max(k.seq)
FROM idempotency_transitions AS k
WHERE k.seq > :after AND k.seq <= :upto AND k.to_state = 'ABSENT'
  AND k.at <= {now} - :retention * interval '1 microsecond' AND {no_record}
