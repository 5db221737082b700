-- The web addresses of things, for clients that share them.

insert into app.settings (key, value) values ('public_url', 'http://localhost:8787');

create function private.link_paths() returns json
language plpgsql stable security definer   -- people may not read the registry
set search_path = ''
as $$
begin
  return (select json_object_agg(type, path order by type) from private.links);
end $$;
comment on function private.link_paths is
  'The paths of all types of things: {type: path}.';

create function api.list_links() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('base', (select value from app.settings where key = 'public_url'),
                           'paths', private.link_paths());
end $$;
comment on function api.list_links is
  'Where the web shows things: {base, paths: {type: path}}. An address consists of the base and the path.';
