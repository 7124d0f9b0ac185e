-- Gateways that merchants have deleted, kept for a while: payments and refunds that are under way there, and messages that come late, need
-- their credentials to end. Apart from those that are set up, which every checkout reads.

create table deleted_payment_methods (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  code text collate "C" not null,
  is_sandbox boolean not null,
  is_simulated boolean not null,
  config jsonb not null,
  deleted_at timestamptz not null,
  primary key (merchant_id, id)
);
create index deleted_payment_methods_old on deleted_payment_methods (deleted_at);
