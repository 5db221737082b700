-- Media assets: what a person uploads. The bytes lie in object storage, and here is what is known of them.
-- docs/decisions.md, Media.

create table private.media_kinds (
  kind     text primary key check (kind ~ '^[a-z]+$'),
  max_size bigint not null check (max_size > 0),
  types    text[] not null
);
comment on table private.media_kinds is
  'What may be uploaded: by kind the content types, and how many bytes. No type is among them that a browser runs. '
  'The function `media` knows each by its first bytes.';
comment on column private.media_kinds.max_size is 'In bytes.';
insert into private.media_kinds (kind, max_size, types) values
  ('avatar', 5 * 1024 * 1024, '{image/jpeg,image/png,image/webp}'),
  ('image', 20 * 1024 * 1024, '{image/jpeg,image/png,image/webp,image/gif,image/avif}'),
  ('video', 200 * 1024 * 1024, '{video/mp4,video/quicktime,video/webm}'),
  ('audio', 64 * 1024 * 1024, '{audio/mpeg,audio/mp4,audio/aac,audio/ogg,audio/wav,audio/webm,audio/flac}'),
  ('attachment', 25 * 1024 * 1024, '{application/pdf,application/zip,image/jpeg,image/png,image/webp,image/gif}');

create table app.media_assets (
  id           uuid primary key default gen_random_uuid(),
  owner_id     uuid not null references app.users on delete cascade,
  kind         text not null,
  content_type text not null,
  size         bigint not null check (size > 0),
  bucket       text not null,
  key          text not null,
  mime_type    text,
  status       text not null default 'pending' check (status in ('pending', 'committed')),
  expires_at   timestamptz default now() + interval '24 hours',
  reviewed_at  timestamptz,
  removed_at   timestamptz,
  committed_at timestamptz,
  created_at   timestamptz not null default now(),
  unique (bucket, key),
  check ((status = 'committed') = (committed_at is not null and mime_type is not null and expires_at is null))
);
create index media_assets_owner_id_idx on app.media_assets (owner_id, created_at desc, id desc);
create index media_assets_expires_at_idx on app.media_assets (expires_at);
comment on table app.media_assets is
  'What a person uploads, or has announced. Definer functions alone write it: what is committed was looked at in the '
  'storage.';
comment on column app.media_assets.content_type is 'As it was announced: the storage serves it as that.';
comment on column app.media_assets.mime_type is 'As its first bytes say; null while it is pending.';
comment on column app.media_assets.status is 'pending, then committed by its owner.';
comment on column app.media_assets.expires_at is 'When a pending one is deleted; null once it is committed.';
comment on column app.media_assets.committed_at is
  'When it was found in the storage as announced; null while it is pending.';
comment on column app.media_assets.reviewed_at is 'When staff looked at it; null if never.';
comment on column app.media_assets.removed_at is
  'When staff took it away; null unless they did. Nothing can use it from then on, and its object is deleted.';
insert into private.retention (relation, counts_from, keep) values ('app.media_assets', 'expires_at', '0');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.media_assets', 'owner_id', 'mediaAssets', '{reviewed_at}');

-- of an instance that nobody has told otherwise; written at boot
insert into app.settings (key, value) values
  ('media_url', 'http://localhost:8787/api/v1/media/local'), ('media_bucket', 'local');

insert into private.errors (code, status, text) values
  ('asset_unknown', 404, 'There is no such media asset.'),
  ('asset_pending', 422, 'This media asset has not been committed yet.'),
  ('asset_kind', 422, 'A media asset of this kind cannot be used here.'),
  ('media_url', 422, 'An address must be an http(s) URL of up to 2000 characters. In this instance''s own storage it '
  'must be that of a committed media asset of yours, of a kind that can be used here.');

create function private.media_setting(p_key text) returns text
language plpgsql stable security definer   -- under a policy it would be planned anew whenever the role changes
set search_path = ''
as $$
begin
  return (select value from app.settings where key = p_key);
end $$;
comment on function private.media_setting is
  'media_url, the address before the key of every object, or media_bucket, where new ones go.';

create function private.asset_url(p_key text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return private.media_setting('media_url') || '/' || p_key;
end $$;
comment on function private.asset_url is 'The public address of an object.';

create function private.require_usable_asset(p_asset app.media_assets, p_kinds text[]) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_asset.status <> 'committed' then
    perform private.fail('asset_pending');
  elsif p_asset.kind <> all (p_kinds) then
    perform private.fail('asset_kind');
  end if;
  return private.asset_url(p_asset.key);
end $$;
comment on function private.require_usable_asset is
  'The public address of an asset that is committed and of one of these kinds. Fails: asset_pending, asset_kind.';

create function private.use_asset(p_asset uuid, p_kinds text[]) returns text
language plpgsql stable   -- invoker: another person's asset is unknown
set search_path = ''
as $$
declare
  v_asset app.media_assets;
begin
  select * into v_asset from app.media_assets
  where id = p_asset and owner_id = private.require_caller() and removed_at is null;
  if not found then
    perform private.fail('asset_unknown');
  end if;
  return private.require_usable_asset(v_asset, p_kinds);
end $$;
comment on function private.use_asset is
  'The public address of the caller''s own committed asset of one of these kinds. Fails: asset_unknown (also another '
  'person''s, and one that staff took away), asset_pending, asset_kind.';

create function private.url_place(p_url text) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_parts text[] := regexp_match(p_url, '^https?://(?:[^/?#]*@)?([^/?#]+)([^?#]*)', 'i');
begin
  return array[regexp_replace(regexp_replace(lower(v_parts[1]), '\.?(:0*(80|443)?)?$', ''), '\.?:0*(\d+)$', ':\1'),
               v_parts[2]];
end $$;
comment on function private.url_place is
  'Host and path of an http(s) URL, for comparing: without scheme, userinfo and the usual ports.';

create function private.check_media_url(p_url text, p_kinds text[]) returns void
language plpgsql stable   -- invoker: another person's asset is unknown
set search_path = ''
as $$
declare
  v_own   text[] := private.url_place(private.media_setting('media_url'));
  v_place text[];
begin
  -- a browser reads \ as /, and % and wide letters in a host as plain ones, so that another would be meant
  if (p_url ~* '^https?://([^\s\\/?#]*@)?[][a-z0-9._:-]+([/?#][^\s\\]*)?$' and length(p_url) <= 2000) is not true then
    perform private.fail('media_url');
  end if;
  v_place := private.url_place(p_url);
  if v_place[1] <> v_own[1] then
    return;
  end if;
  -- other spellings of a path of ours count as ours, and name nothing
  if (starts_with(lower(v_place[2]), lower(v_own[2]) || '/') or v_place[2] ~ '%|//|/\.') and not exists (
    select from app.media_assets a
    where a.bucket = private.media_setting('media_bucket') and v_own[2] || '/' || a.key = v_place[2]
      and a.key = substr(v_place[2], length(v_own[2]) + 2)
      and a.owner_id = private.require_caller() and a.status = 'committed' and a.removed_at is null
      and a.kind = any (p_kinds)) then
    perform private.fail('media_url');
  end if;
end $$;
comment on function private.check_media_url is
  'Passes for an http(s) URL of up to 2000 characters that lies elsewhere, or is that of the caller''s own committed '
  'asset of one of these kinds. Nothing is asked of it. Fails: media_url.';
