-- Assets whose file could not be fetched show a placeholder until it can.

alter table assets
  -- Where the file is still to be fetched from. null: the bytes are the asset's own.
  add column source_url text,
  -- Why it is not tried any more, where what was found there is not accepted.
  add column source_problem text,
  add constraint assets_source_problem check (source_problem is null or source_url is not null);

create index assets_unreachable on assets (merchant_id, id) where source_url is not null;
