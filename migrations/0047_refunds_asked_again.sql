-- What a refund was asked for by: its Idempotency-Key and body. The same again is the same refund, also where the answer to the first was lost.
alter table order_refunds add column request_key text collate "C";
