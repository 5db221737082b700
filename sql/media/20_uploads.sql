-- For an upload, a person announces an asset, uploads its bytes directly to the storage, and commits it.
-- docs/decisions.md, Media.

insert into private.errors (code, status, text) values
  ('media_type', 422, 'This content type is not allowed for this kind of media.'),
  ('media_size', 422, 'The file is empty or too large for its kind.'),
  ('assets_exhausted', 409, 'You have 50 uncommitted uploads from the last 15 minutes. Commit one, or wait until they '
   'are older.'),
  ('media_quota_exceeded', 409, 'This upload would exceed your quota. The operator of this instance can raise it.'),
  ('asset_missing', 422, 'The file of this media asset, or a part of it, has not been uploaded yet. Upload it first.'),
  ('asset_committed', 409, 'This media asset has been committed, which ended its upload.'),
  ('asset_in_one_piece', 409, 'This media asset was announced as an upload in one piece.'),
  ('asset_unfit', 422, 'The uploaded file has another size or type than announced, and was deleted. Upload the '
   'announced file.'),
  ('asset_large', 413, 'The storage does not accept a file of this size, although Kith allows it. Ask the operator of '
   'this instance to raise the limit of its buckets.'),
  ('upload_refused', 403, 'This upload URL has expired, or the content type or length is not as announced.'),
  ('storage_unavailable', 503, 'The media storage is not available at the moment. Try again later.');

insert into private.write_limits (kind, per_hour) values ('uploads', 200), ('megabytes', 4000);

insert into private.lock_kinds (kind, position) values ('assets', 250);

create function private.asset_card(p_asset app.media_assets) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'assetId', p_asset.id,
    'kind', p_asset.kind,
    'contentType', p_asset.content_type,
    'size', p_asset.size,
    'key', p_asset.key,
    'status', p_asset.status,
    'publicUrl', private.asset_url(p_asset.key),
    'partSize', p_asset.part_size,
    'alt', p_asset.alt,
    'width', p_asset.width,
    'height', p_asset.height,
    'blurhash', p_asset.blurhash,
    'posterUrl', private.asset_url(p_asset.poster_id::text),
    'createdAt', private.utc(p_asset.created_at),
    'committedAt', private.utc(p_asset.committed_at));
end $$;
comment on function private.asset_card is
  'An asset as its owner sees it: {assetId, kind, contentType, size, key, status, publicUrl, partSize, '
  'alt, width, height, blurhash, posterUrl, createdAt, committedAt}.';

create function private.part_size(p_size bigint) returns integer
language plpgsql immutable
set search_path = ''
as $$
begin
  return greatest(8, (p_size + 100 * 1048576 - 1) / (100 * 1048576)) * 1048576;
end $$;
comment on function private.part_size is
  'The size of the parts of a file of this size, in bytes: 8 MiB, or more if there would be more than 100 parts. S3 '
  'accepts only a last part below 5 MiB.';

create function private.announce_asset(p_asset app.media_assets, p_in_parts boolean) returns app.media_assets
language plpgsql volatile security definer   -- only definer functions write assets
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_kind   private.media_kinds;
  v_asset  app.media_assets;
  v_most   bigint := private.media_setting('media_quota')::bigint;
  v_many   integer;
  v_bytes  numeric;
begin
  select * into v_kind from private.media_kinds
  where kind = p_asset.kind and p_asset.content_type = any (types);
  if not found then
    perform private.raise_error('media_type');
  elsif (p_asset.size between 1 and v_kind.max_size) is not true then
    perform private.raise_error('media_size');
  end if;
  if p_asset.poster_id is not null and not exists (
    select from app.media_assets a
    where a.id = p_asset.poster_id and a.owner_id = v_caller and a.status = 'committed' and a.kind = 'image') then
    perform private.raise_error('asset_poster');
  end if;
  perform private.count_writes('megabytes', (p_asset.size / 1000000 + 1)::integer);
  perform private.count_writes('uploads');
  perform private.lock('assets', v_caller::text);   -- lock, so that concurrent calls don't exceed the limits
  loop
    -- count both in one statement, because a concurrent commit turns pending bytes into committed ones
    select count(*), coalesce(sum(a.size), 0) + coalesce((
             select u.bytes from private.media_usage u where u.owner_id = v_caller), 0)
    into v_many, v_bytes
    from app.media_assets a where a.owner_id = v_caller and a.status = 'pending';
    exit when v_many < 50 and v_bytes + p_asset.size <= v_most;
    -- delete the oldest asset whose upload URL has expired, but skip assets that are being committed
    delete from app.media_assets where id = (
      select a.id from app.media_assets a
      where a.owner_id = v_caller and a.status = 'pending' and a.created_at < now() - interval '15 minutes'
      order by a.created_at limit 1 for update skip locked);
    continue when found;
    if v_many < 50 then
      perform private.raise_error('media_quota_exceeded');
    end if;
    perform private.raise_error('assets_exhausted');
  end loop;
  insert into app.media_assets (id, key, owner_id, kind, content_type, size, part_size, alt, width, height, blurhash,
                                poster_id, bucket)
  select id, id, v_caller, p_asset.kind, p_asset.content_type, p_asset.size,
         case when p_in_parts then private.part_size(p_asset.size) end,
         p_asset.alt, p_asset.width, p_asset.height, p_asset.blurhash, p_asset.poster_id,
         private.media_setting('media_bucket')
  from gen_random_uuid() id
  returning * into v_asset;
  return v_asset;
end $$;
comment on function private.announce_asset is
  'Adds a pending asset of the caller and returns it. If this asset would exceed the limit or the quota, it first '
  'deletes the caller''s older assets that were never committed.';

create function api.create_asset(
  p_kind text, p_content_type text, p_size bigint, p_alt text default null, p_width integer default null,
  p_height integer default null, p_blurhash text default null, p_poster_id uuid default null,
  p_in_parts boolean default false
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept  json := private.begin_idempotent(
    'create_asset',
    json_build_array(p_kind, p_content_type, p_size, p_alt, p_width, p_height, p_blurhash, p_poster_id, p_in_parts));
  v_asset app.media_assets;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_asset.kind := p_kind;
  v_asset.content_type := lower(btrim(p_content_type));
  v_asset.size := p_size;
  v_asset.alt := nullif(private.require_text(p_alt), '');
  v_asset.width := p_width;
  v_asset.height := p_height;
  v_asset.blurhash := p_blurhash;
  v_asset.poster_id := p_poster_id;
  return private.finish_idempotent('create_asset', private.asset_card(private.announce_asset(v_asset, p_in_parts)));
end $$;
comment on function api.create_asset is
  'Announces an upload, in parts if p_in_parts is true, and returns it as api.get_asset does. The facade then gets '
  'signed upload URLs. Fails: alt_text, asset_dimensions, blurhash.';

create function api.get_asset(p_asset_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_asset app.media_assets;
begin
  select * into v_asset from app.media_assets
  where id = p_asset_id and owner_id = private.require_caller();
  if not found then
    perform private.raise_error('asset_unknown');
  end if;
  return private.asset_card(v_asset);
end $$;
comment on function api.get_asset is
  'The caller''s own asset: {assetId, kind, contentType, size, key, status, publicUrl, partSize, alt, width, height, '
  'blurhash, posterUrl, createdAt, committedAt}. Fails: asset_unknown (also if it is another person''s).';

create function api.commit_asset(
  p_asset_id uuid, p_mime_type text, p_width integer default null, p_height integer default null,
  p_sha256 text default null
) returns json
language plpgsql volatile security definer   -- relies on the facade to have checked the uploaded file
set search_path = ''
as $$
declare
  v_sha256 bytea := decode(p_sha256, 'hex');
begin
  update app.media_assets
  set status = 'committed', committed_at = now(), mime_type = p_mime_type, expires_at = null,
      width = coalesce(p_width, width), height = coalesce(p_height, height), sha256 = v_sha256
  where id = p_asset_id and owner_id = private.require_caller() and status = 'pending';
  if not found then
    -- two commits have published two files, and it is unknown which of them the storage serves
    delete from app.media_assets where id = p_asset_id and owner_id = private.require_caller() and sha256 <> v_sha256;
    if found then
      return private.error_response('asset_unfit');
    end if;
  end if;
  return api.get_asset(p_asset_id);   -- a second commit returns the same result as the first
end $$;
comment on function api.commit_asset is
  'For the facade alone, after it has found that the storage has the file as announced: commits the caller''s '
  'asset. p_width and p_height are those in the file, or null. p_sha256 is the hash of the file in hex, or null. If '
  'another commit found another file meanwhile, the asset is deleted (asset_unfit). Returns the same as '
  'api.get_asset. Fails: asset_unknown (also if it is another person''s).';

create function api.continue_upload(
  p_asset_id uuid, p_ended text default null, p_begun text default null
) returns json
language plpgsql volatile security definer   -- relies on the facade to have begun the upload in the storage
set search_path = ''
as $$
declare
  v_asset app.media_assets;
begin
  if p_begun is not null then
    update app.media_assets set upload_id = p_begun
    where id = p_asset_id and owner_id = private.require_caller() and status = 'pending' and part_size is not null
      and upload_id is not distinct from p_ended;
  end if;
  select * into v_asset from app.media_assets
  where id = p_asset_id and owner_id = private.require_caller();
  if not found then
    perform private.raise_error('asset_unknown');
  elsif v_asset.part_size is null then
    perform private.raise_error('asset_in_one_piece');
  elsif v_asset.status = 'committed' and p_begun is not null then
    perform private.raise_error('asset_committed');
  end if;
  return json_build_object('uploadId', v_asset.upload_id);
end $$;
comment on function api.continue_upload is
  'For the facade alone: {uploadId}, the storage''s id of the caller''s upload in parts, or null. If the id is '
  'still p_ended, an upload that the storage has dropped, p_begun replaces it, so that only one of several '
  'concurrent calls succeeds. Fails: asset_unknown (also if it is another person''s).';

create function private.delete_asset(p_id uuid) returns void
language plpgsql volatile security definer   -- only definer functions write assets
set search_path = ''
as $$
begin
  delete from app.media_assets where id = p_id and owner_id = private.require_caller() and status = 'pending';
  if not found then
    perform private.raise_error(case when exists (
      select from app.media_assets where id = p_id and owner_id = app.uid()) then 'asset_committed'
      else 'asset_unknown' end);
  end if;
end $$;
comment on function private.delete_asset is
  'Deletes a pending asset of the caller, and thereby its object.';

create function api.delete_asset(p_asset_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.delete_asset(p_asset_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_asset is
  'Deletes an upload of the caller that is not committed. Fails: asset_unknown (also if it is another person''s), '
  'asset_committed.';
