-- Assets: files and images of a merchant. The bytes lie in the file store; the row says where, and is written after them.

create table assets (
  merchant_id integer not null references merchants on delete cascade,
  id text collate "C" not null,
  filename text not null,
  -- Where the bytes lie. Every upload gets a key of its own and nothing is ever overwritten, so that two uploads at once cannot mix the
  -- bytes of one with the facts of the other. null until a presigned upload has arrived.
  file_key text collate "C",
  file_extension text not null,
  content_type text not null,
  is_image boolean not null,
  file_size bigint not null check (file_size >= 0),
  -- What the client said, which counts, and what the image's own header says.
  given_width integer check (given_width > 0),
  given_height integer check (given_height > 0),
  read_width integer check (read_width > 0),
  read_height integer check (read_height > 0),
  description text,
  meta json,
  is_private boolean not null,
  is_pending boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (is_pending or file_key is not null)
);

-- Presigned uploads that never arrived are swept by age.
create index assets_pending on assets (created_at) where is_pending;

-- Keys that sign addresses (uploads, private files), shared by every process and made when first needed.
create table signing_secrets (
  name text primary key,
  secret bytea not null check (length(secret) = 32),
  created_at timestamptz not null
);
