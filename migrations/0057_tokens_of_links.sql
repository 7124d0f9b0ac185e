-- The link of a cart to the hosted checkout leads to one token for each state of the cart, however often it is opened (docs/decisions/0068).

-- Which state of its cart a token was made of; null: of a product, or made before this was kept.
alter table checkouts add column cart_revision integer;

-- Made by the link. Tokens that are asked for by the API are their storefronts' own: nobody else is led to them.
alter table checkouts add column is_hosted boolean not null default false;

-- Two who open the link at the same moment: the second one's token is refused, and the first one's found.
create unique index checkouts_of_links on checkouts (merchant_id, cart_id, cart_revision) where is_hosted;
