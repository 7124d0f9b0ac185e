-- The id of what a request answered with, where its answer was too large to be kept for its Idempotency-Key.

alter table idempotency_keys add column result_id text;
