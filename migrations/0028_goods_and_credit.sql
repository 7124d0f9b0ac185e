-- What is held of a gift card, for the merchant who reads or changes its balance.
create index capture_attempts_holding_credit on capture_attempts (merchant_id, gift_card_id) where state in ('charging', 'waiting');
