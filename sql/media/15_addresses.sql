-- The addresses that people enter for pictures, videos and sound: addresses of their own assets, or at other hosts.
-- docs/decisions.md, Media.

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
  'Returns the host and path of an http(s) URL for comparison, without the scheme, the userinfo and default ports.';

create function private.percent_decoded(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select string_agg(case when length(piece[1]) = 3 and piece[1] ~ '^%'
                           then chr(('x' || substr(piece[1], 2))::bit(8)::integer) else piece[1] end, ''
                      order by place)
    from regexp_matches(p_text, '%(?:0[1-9a-f]|[1-7][0-9a-f])|[^%]+|%', 'gi') with ordinality m (piece, place));
end $$;
comment on function private.percent_decoded is
  'Returns a text with its percent-encoded ASCII characters decoded; everything else remains unchanged.';

create function private.ids_in(p_url text) returns uuid[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_text text := p_url;
begin
  -- decode repeatedly, because a proxy may decode a URL before the storage decodes it again
  for n in 1..3 loop
    exit when v_text !~ '%';
    v_text := private.percent_decoded(v_text);
  end loop;
  return array(select i[1]::uuid
               from regexp_matches(v_text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') i);
end $$;
comment on function private.ids_in is
  'Returns all ids in an address, in any part of it, even if they are percent-encoded.';

create function private.is_media_host(p_host text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from regexp_split_to_table(private.media_setting('media_hosts'), ' ') h (allowed)
    where allowed in ('*', p_host) or allowed like '*.%' and right(p_host, length(allowed) - 1) = substr(allowed, 2));
end $$;
comment on function private.is_media_host is
  'Returns whether media may be at this host, which must be spelt as private.url_place returns it. media_hosts lists '
  'hosts, *.host for the subdomains of a host, and * for all hosts.';

create function private.use_media_url(p_url text, p_kinds text[]) returns text
language plpgsql stable security definer   -- reads other people's assets to reject their addresses
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_own    text[] := private.url_place(private.media_setting('media_url'));
  v_place  text[];
  v_key    text;
  v_fits   boolean;
begin
  -- reject \, % and non-ASCII characters in a host. A browser reads \ as / and normalizes the others, so it would load
  -- from a host that was not checked
  if (p_url ~* '^https?://([^\s\\/?#]*@)?[][a-z0-9._:-]+([/?#][^\s\\]*)?$' and length(p_url) <= 2000) is not true then
    perform private.raise_error('media_url');
  end if;
  -- the key of an asset is its id, so every address of the asset, in any storage, contains this id
  select min(a.key), bool_and(a.owner_id = v_caller and a.status = 'committed' and a.kind = any (p_kinds))
  into v_key, v_fits
  from app.media_assets a where a.id = any (private.ids_in(p_url));
  if v_fits then
    return private.asset_url(v_key);
  end if;
  v_place := private.url_place(p_url);
  -- other spellings of a path in the storage of this instance match no asset and are rejected, too
  if v_fits is not null
     or v_place[1] = v_own[1] and (starts_with(lower(v_place[2]), lower(v_own[2]) || '/') or v_place[2] ~ '%|//|/\.')
     or v_place[1] <> v_own[1] and not private.is_media_host(v_place[1]) then
    perform private.raise_error('media_url');
  end if;
  return p_url;
end $$;
comment on function private.use_media_url is
  'Returns an address as it is stored. The address of an asset, in any spelling, becomes its public address; the '
  'asset must be the caller''s own, committed and of one of these kinds. Any other address must be an http(s) URL '
  'of up to 2000 characters at an allowed host. The function sends no request to the host.';

create function private.find_own_asset(p_url text) returns app.media_assets
language plpgsql stable
set search_path = ''
as $$
declare
  v_asset app.media_assets;
begin
  select * into v_asset from app.media_assets
  where id = any (private.ids_in(p_url)) and owner_id = private.require_caller() and p_url = private.asset_url(key);
  return v_asset;
end $$;
comment on function private.find_own_asset is
  'The caller''s asset with this public address, spelt as private.use_media_url returns it; null for other addresses.';

create function private.use_picture(p_url text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when p_url is not null then private.use_media_url(p_url, '{avatar,image}') end;
end $$;
comment on function private.use_picture is
  'Returns the address of a person''s picture as it is stored; null if p_url is null.';
