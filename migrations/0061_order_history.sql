-- What has happened to an order that none of its other rows tells: what people have noted about it, and which mails have gone out.
-- Distributed by merchant_id, beside its order.
create table order_history (
  merchant_id integer not null,
  order_id text collate "C" not null,
  -- Of a mail, that of the mail, so that one which is sent twice is told once.
  id text collate "C" not null,
  kind text not null check (kind in ('note', 'mail')),
  -- The note as it was written; of a mail, which of them it was, such as receipt.
  content text not null,
  -- Who wrote the note; whom the mail went to.
  person text not null,
  created_at timestamptz not null,
  primary key (merchant_id, order_id, id),
  foreign key (merchant_id, order_id) references orders on delete cascade
);

-- Who has caused an event: the name of the person at the dashboard. null: a key, a shopper, a provider, or a job.
alter table events add column actor text;
