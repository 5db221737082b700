-- Links say where clients show a thing. A path is the same in the app and on the web, below PUBLIC_URL.
-- docs/decisions.md, Notifications.

create table private.links (
  type text primary key check (type ~ '^[a-z]+(-[a-z]+)*$'),
  path text not null check (path ~ '^(/@?([a-z-]+|\{[a-z]+\}))+$')
);
comment on table private.links is
  'Registry: where clients show things of each type.';
comment on column private.links.path is
  'The path below PUBLIC_URL. {id} is the id of the thing, {username} and {slug} are its names. A thing without its '
  'own page has the page of a list.';

create function private.fill_path(p_path text, p_fields jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_path  text := p_path;
  v_field text;
begin
  for v_field in select m[1] from regexp_matches(p_path, '\{(\w+)\}', 'g') m loop
    v_path := replace(v_path, '{' || v_field || '}', p_fields ->> v_field);   -- null if the field is missing
  end loop;
  return v_path;
end $$;
comment on function private.fill_path is
  'A path with the values of its fields, or null if a field is missing. Values are ids, slugs and usernames, which '
  'need no escapes in a URL.';

insert into private.links (type, path) values ('person', '/@{username}');
