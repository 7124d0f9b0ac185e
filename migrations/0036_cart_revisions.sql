-- How often a cart has been changed: who has read one writes on the condition that it is still the one that was read.
alter table carts add column revision integer not null default 0;
