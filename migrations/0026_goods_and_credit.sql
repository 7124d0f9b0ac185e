-- What is held of a gift card, for the merchant who reads or changes its balance.
create index capture_attempts_holding_credit on capture_attempts (merchant_id, gift_card_id) where state in ('charging', 'waiting');

-- Where a refund has put the credit of a gift card: {"gift_card_id", "amount", "replaced"}. Another card than the one that paid, where that
-- one pays nothing any more.
alter table orders add column returned_credit json;

-- Who may still fetch a file, for the merchant who wants to delete it.
create index downloads_by_asset on downloads (merchant_id, asset_id) where not is_revoked;
