-- Media assets are the files that people upload. Object storage has the bytes; these tables have the metadata.
-- docs/decisions.md, Media.

create table private.media_kinds (
  kind     text primary key check (kind ~ '^[a-z]+$'),
  max_size bigint not null check (max_size > 0),
  types    text[] not null
);
comment on table private.media_kinds is
  'The kinds of media that may be uploaded, each with its content types and its maximum size. Browsers execute none '
  'of these types. The function `media` recognizes each type by its first bytes.';
comment on column private.media_kinds.max_size is 'In bytes.';
insert into private.media_kinds (kind, max_size, types) values
  ('avatar', 5 * 1024 * 1024, '{image/jpeg,image/png,image/webp}'),
  ('image', 20 * 1024 * 1024, '{image/jpeg,image/png,image/webp,image/gif,image/avif}'),
  ('video', 200 * 1024 * 1024, '{video/mp4,video/quicktime,video/webm}'),
  ('audio', 64 * 1024 * 1024, '{audio/mpeg,audio/mp4,audio/aac,audio/ogg,audio/wav,audio/webm,audio/flac}'),
  ('attachment', 25 * 1024 * 1024, '{application/pdf,application/zip,image/jpeg,image/png,image/webp,image/gif}');

create function private.base83(p_digit text) returns integer
language plpgsql immutable
set search_path = ''
as $$
begin
  return strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~', p_digit) - 1;
end $$;
comment on function private.base83 is 'The value of a digit of a BlurHash, 0 to 82.';

create domain app.alt_text as text constraint alt_text check (length(value) between 1 and 1000);
comment on domain app.alt_text is 'Describes a picture, video or sound for those who cannot see or hear it.';

create domain app.blurhash as text constraint blurhash check (
  value ~ '^[0-9A-Za-z#$%*+,.:;=?@\[\]^_{|}~-]{6,166}$'
  -- the first character is a digit to the base of 83 that gives the numbers of columns and rows
  and length(value) = 4 + 2 * (1 + private.base83(left(value, 1)) % 9) * (1 + private.base83(left(value, 1)) / 9));
comment on domain app.blurhash is 'A picture in a few colours, to be shown while the picture loads: blurha.sh.';

create table app.media_assets (
  id           uuid primary key default gen_random_uuid(),
  owner_id     uuid not null references app.users on delete cascade,
  kind         text not null,
  content_type text not null,
  size         bigint not null check (size > 0),
  bucket       text not null,
  key          text not null,
  part_size    integer check (part_size > 0),
  upload_id    text check (length(upload_id) between 1 and 1000),
  mime_type    text,
  alt          app.alt_text,
  width        integer,
  height       integer,
  blurhash     app.blurhash,
  poster_id    uuid references app.media_assets on delete set null,
  status       text not null default 'pending' check (status in ('pending', 'committed')),
  expires_at   timestamptz default now() + interval '24 hours',
  committed_at timestamptz,
  created_at   timestamptz not null default now(),
  sha256       bytea check (octet_length(sha256) = 32),
  unique (bucket, key),
  check ((status = 'committed') = (committed_at is not null and mime_type is not null and expires_at is null)),
  constraint asset_dimensions check (
    num_nulls(width, height) <> 1
    and coalesce(width, 1) between 1 and 65535 and coalesce(height, 1) between 1 and 65535
    and (num_nonnulls(width, blurhash) = 0 or content_type ~ '^(image|video)/')),
  constraint asset_poster check (poster_id is null or kind = 'video')
);
create index media_assets_owner_id_idx on app.media_assets (owner_id, created_at desc, id desc);
create index media_assets_pending_idx on app.media_assets (owner_id, created_at) where status = 'pending';
create index media_assets_poster_id_idx on app.media_assets (poster_id) where poster_id is not null;
create index media_assets_expires_at_idx on app.media_assets (expires_at);
comment on table app.media_assets is
  'The files that people have announced or uploaded. Only definer functions write this table, so every committed '
  'asset was checked in the storage.';
comment on column app.media_assets.content_type is 'The announced type, with which the storage serves the file.';
comment on column app.media_assets.part_size is
  'The size of each part except the last, in bytes, if the file is uploaded in parts; null otherwise.';
comment on column app.media_assets.upload_id is
  'The storage''s id of the upload in parts; null before the upload has begun.';
comment on column app.media_assets.mime_type is
  'The type according to the first bytes; null while the asset is pending.';
comment on column app.media_assets.alt is
  'The alt text of the asset where it is used without another alt text; null if it has none.';
comment on column app.media_assets.width is
  'The width in pixels, as the picture is shown; null if unknown. The client announces it, and for most pictures '
  'the commit replaces it by the width in the file.';
comment on column app.media_assets.height is 'As width.';
comment on column app.media_assets.blurhash is 'The BlurHash that the client computed; null if it announced none.';
comment on column app.media_assets.poster_id is
  'The picture to show until a video plays, a committed asset of the same person, of the kind image. Null if the '
  'video has none.';
comment on column app.media_assets.status is '`pending` until the owner commits the asset, then `committed`.';
comment on column app.media_assets.sha256 is
  'The hash of the file, for the rules of staff; nobody else sees it. Null while the asset is pending, for a file '
  'above 25 MiB, and for assets from before hashes were stored.';
comment on column app.media_assets.expires_at is 'When a pending asset is deleted; null after its commit.';
comment on column app.media_assets.committed_at is
  'When the facade found the file in the storage as announced; null while the asset is pending.';
insert into private.retention (relation, counts_from, keep) values ('app.media_assets', 'expires_at', '0');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.media_assets', 'owner_id', 'mediaAssets', '{part_size,upload_id,sha256}');

create table private.media_usage (
  owner_id uuid primary key references app.users on delete cascade,
  bytes    bigint not null check (bytes >= 0)
);
comment on table private.media_usage is
  'The number of bytes of a person''s committed assets: a sum over app.media_assets, which triggers maintain.';
insert into private.personal_data (relation, person_column, reason) values
  ('private.media_usage', 'owner_id', 'Computed from mediaAssets.');

create function private.count_asset_bytes() returns trigger
language plpgsql security definer   -- only triggers may write the sums
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.media_usage as u (owner_id, bytes)
    select c.owner_id, coalesce(sum(c.size) filter (where c.status = 'committed'), 0) from came c group by c.owner_id
    order by c.owner_id
    on conflict (owner_id) do update set bytes = u.bytes + excluded.bytes where excluded.bytes > 0;
  elsif tg_op = 'UPDATE' then
    update private.media_usage u set bytes = u.bytes + c.bytes
    from (select n.owner_id, sum(n.size) as bytes from came n join gone o on o.id = n.id
          where n.status = 'committed' and o.status = 'pending' group by n.owner_id) c
    where u.owner_id = c.owner_id;
  else
    update private.media_usage u set bytes = u.bytes - g.bytes
    from (select o.owner_id, sum(o.size) as bytes from gone o where o.status = 'committed' group by o.owner_id) g
    where u.owner_id = g.owner_id;
  end if;
  return null;
end $$;
comment on function private.count_asset_bytes is
  'Trigger: maintains the sum of a person''s committed assets. The deletion of pending assets locks no sum.';
create trigger count_bytes_that_came after insert on app.media_assets
  referencing new table as came for each statement execute function private.count_asset_bytes();
create trigger count_bytes_committed after update on app.media_assets
  referencing old table as gone new table as came for each statement execute function private.count_asset_bytes();
create trigger count_bytes_that_went after delete on app.media_assets
  referencing old table as gone for each statement execute function private.count_asset_bytes();

-- the defaults, which the settings of the instance replace at boot
insert into app.settings (key, value) values
  ('media_url', 'http://localhost:8787/api/v1/media/local'), ('media_bucket', 'local'), ('media_quota', '5368709120'),
  ('media_hosts', '*');

insert into private.errors (code, status, text) values
  ('asset_dimensions', 422, 'A picture or video can have a width and a height of 1 to 65535 pixels, both or neither, '
   'and a blurhash. Other files cannot.'),
  ('blurhash', 422, 'This is not a BlurHash.'),
  ('asset_poster', 422, 'Only a video can have a poster. The poster must be a committed media asset of yours, of the '
   'kind image.'),
  ('alt_text', 422, 'An alt text can have at most 1000 characters, and needs an asset that it describes.'),
  ('asset_unknown', 404, 'There is no such media asset.'),
  ('asset_pending', 422, 'This media asset has not been committed yet. Commit it first.'),
  ('asset_kind', 422, 'A media asset of this kind cannot be used here.'),
  ('media_url', 422, 'A URL must be http(s), have up to 2000 characters, and be at a host that this instance accepts. '
   'A URL in this instance’s own storage must be that of a committed media asset of yours, of a kind that can be used '
   'here.');

create function private.media_setting(p_key text) returns text
language plpgsql stable security definer   -- with a policy, Postgres plans it again whenever the role changes
set search_path = ''
as $$
begin
  return (select value from app.settings where key = p_key);
end $$;
comment on function private.media_setting is
  'Returns a setting: media_url (the address before the key of every object), media_bucket (the bucket of new '
  'objects), media_quota (the number of bytes that one person may have) or media_hosts (the other hosts allowed for '
  'media).';

create function private.asset_url(p_key text) returns text
language plpgsql stable strict
set search_path = ''
as $$
begin
  return private.media_setting('media_url') || '/' || p_key;
end $$;
comment on function private.asset_url is
  'The public address of an object. The key of an asset is its id, so its id is enough. Null if p_key is null.';

create function private.attachment_card(p_asset app.media_assets, p_alt text) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'assetId', p_asset.id,
    'url', private.asset_url(p_asset.key),
    'contentType', p_asset.content_type,
    'alt', p_alt,
    'width', p_asset.width,
    'height', p_asset.height,
    'blurhash', p_asset.blurhash,
    'posterUrl', private.asset_url(p_asset.poster_id::text));
end $$;
comment on function private.attachment_card is
  'An asset in the form for people who may see the place where it is used: {assetId, url, contentType, alt, width, '
  'height, blurhash, posterUrl}.';

create function private.require_usable_asset(p_asset app.media_assets, p_kinds text[]) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_asset.status <> 'committed' then
    perform private.raise_error('asset_pending');
  elsif p_asset.kind <> all (p_kinds) then
    perform private.raise_error('asset_kind');
  end if;
  return private.asset_url(p_asset.key);
end $$;
comment on function private.require_usable_asset is
  'Returns the public address of an asset if it is committed and of one of these kinds.';

create function private.use_asset(p_asset uuid, p_kinds text[]) returns text
language plpgsql stable   -- runs as the invoker, so another person's asset is unknown
set search_path = ''
as $$
declare
  v_asset app.media_assets;
begin
  select * into v_asset from app.media_assets
  where id = p_asset and owner_id = private.require_caller();
  if not found then
    perform private.raise_error('asset_unknown');
  end if;
  return private.require_usable_asset(v_asset, p_kinds);
end $$;
comment on function private.use_asset is
  'Returns the public address of the caller''s own committed asset of one of these kinds. Fails: asset_unknown (also '
  'another person''s).';
