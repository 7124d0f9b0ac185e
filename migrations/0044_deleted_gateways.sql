-- A gateway that a merchant has deleted is kept for a while, unseen: payments and refunds that are under way, and messages that come late,
-- need its credentials to end.

alter table payment_methods add column deleted_at timestamptz;
create index payment_methods_deleted on payment_methods (deleted_at) where deleted_at is not null;
