INSERT INTO idempotency_audit (
  seq, request_id, item, verb, database, binding, identity, outcome, detail, before_image, after_image, parameters, actor, reason, at, previous, hash)
VALUES (
  :seq, :request_id, :item, :verb, :database, :binding, :identity, :outcome, :detail, :before_image, :after_image, :parameters, :actor, :reason, :at, :previous, :hash)
