-- What is held of one item, for the merchant who reads or counts its stock. The table holds what captures under way hold and nothing else.
create index held_stock_by_item on held_stock (merchant_id, item_id);
