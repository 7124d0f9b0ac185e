-- A ledger that names the orders: an entry of a payment knows its attempt, and orders are found by their token. Without it every entry of an old
-- payment would be looked for among all orders.

alter table gift_card_entries add column checkout_id text collate "C";

update gift_card_entries entry
set checkout_id = made.checkout_id
from orders made
where entry.reason = 'reserved' and made.merchant_id = entry.merchant_id and made.attempt_id = entry.subject_id;
