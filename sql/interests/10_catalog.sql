-- The catalog of interests is a tree of categories (level 1), sub-interests (2) and deep interests (3).
-- docs/decisions.md, Interests.

create function private.interest_start(p_id uuid, p_slug text, p_name text, p_accent_color text) returns text
language plpgsql immutable   -- row_to_json is only stable, but no setting changes the text of these types
set search_path = ''
as $$
begin
  return (
    select left(row_to_json(s)::text, -1)
    from (select p_id as id, p_slug as slug, p_name as name, p_accent_color as "accentColor") s);
end $$;
comment on function private.interest_start is
  'Returns the start of an interest as JSON, without the closing brace, for the cards of posts: {id, slug, name, '
  'accentColor.';

create table app.interests (
  id           uuid primary key default gen_random_uuid(),
  slug         text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name         text not null check (length(btrim(name)) between 1 and 80),
  level        integer not null check (level between 1 and 3),
  parent_id    uuid,
  parent_level integer generated always as (nullif(level - 1, 0)) stored,
  accent_color text not null check (accent_color in ('ink', 'gold', 'sage', 'coral', 'cyan', 'plum')),
  user_count   integer not null default 0 check (user_count >= 0),
  created_at   timestamptz not null default now(),
  card_start   text not null generated always as (private.interest_start(id, slug, name, accent_color)) stored,
  constraint interest_slug_taken unique (slug),
  constraint interests_id_level_key unique (id, level),
  constraint interest_parent_misplaced check ((level = 1) = (parent_id is null)),
  constraint interest_parent_unfit foreign key (parent_id, parent_level)
    references app.interests (id, level) on delete restrict
);
create index interests_parent_id_idx on app.interests (parent_id, parent_level);
comment on table app.interests is
  'The catalog, which staff maintain. The parent of an interest is always one level up, because the foreign key '
  'also checks the level.';
comment on column app.interests.card_start is 'See private.interest_start.';
comment on column app.interests.user_count is
  'The number of people who chose this interest itself. A trigger maintains it.';
-- interests are never deleted, because too many rows refer to them

insert into private.errors (code, status, text) values
  ('interest_unknown', 404, 'There is no such interest.'),
  ('interest_slug_taken', 409, 'Another interest has this slug.'),
  ('interest_parent_misplaced', 422, 'A category must have no parent, and every other interest must have one.'),
  ('interest_parent_unfit', 422, 'The parent must be an interest one level up.');

create view app.interest_card with (security_invoker) as
select id, slug, name, level, parent_id as "parentId", accent_color as "accentColor", user_count as "userCount"
from app.interests;
comment on view app.interest_card is
  'An interest as the catalog shows it. Each column is a field of the JSON, so that a query can add the field '
  'children.';

create function private.require_interest(p_interest uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from app.interests where id = p_interest) then
    perform private.raise_error('interest_unknown');
  end if;
  return p_interest;
end $$;
comment on function private.require_interest is 'Returns the id if the interest exists.';

create function private.interest_tree() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with deep as (
      select n."parentId", json_agg(n order by n.name) as children
      from (select c.*, '[]'::json as children from app.interest_card c where c.level = 3) n
      group by n."parentId"
    ), sub as (
      select n."parentId", json_agg(n order by n.name) as children
      from (select c.*, coalesce(d.children, '[]') as children
            from app.interest_card c left join deep d on d."parentId" = c.id where c.level = 2) n
      group by n."parentId"
    )
    select coalesce(json_agg(n order by n.name), '[]')
    from (select c.*, coalesce(s.children, '[]') as children
          from app.interest_card c left join sub s on s."parentId" = c.id where c.level = 1) n);
end $$;
comment on function private.interest_tree is
  'Returns the categories by name, each with its descendants nested down to level 3.';

create function private.interest_subtree(p_interest uuid) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  if p_interest is null then
    return null;
  end if;
  perform private.require_interest(p_interest);
  return array(
    with recursive below as (
      select p_interest as id
      union all select i.id from below b join app.interests i on i.parent_id = b.id)
    select id from below);
end $$;
comment on function private.interest_subtree is
  'Returns the ids of an interest and of all interests below it; null if p_interest is null.';

create function api.get_catalog(p_level integer default null, p_parent_id uuid default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_items json;
begin
  if p_parent_id is not null then
    perform private.require_interest(p_parent_id);
  end if;
  -- The version is the sum of the rows' hashes, so the rows need not be sorted. Hashing sorted text would take four
  -- times as long, and hashing is nearly the whole cost of a 304. Each hash is hashed again, because otherwise the sum
  -- could remain the same if two rows exchange their counts.
  if private.not_modified((select coalesce(sum(hashint8extended(hash_record_extended(i, 0), 0)), 0)
                           from app.interests i)::text) then
    return null;
  end if;
  if p_level is null and p_parent_id is null then
    v_items := private.interest_tree();
  elsif p_parent_id is null then
    select json_agg(c order by c.name) into v_items from app.interest_card c where c.level = p_level;
  else
    select json_agg(c order by c.name) into v_items from app.interest_card c
    where c."parentId" = p_parent_id and c.level = coalesce(p_level, c.level);
  end if;
  return json_build_object('items', coalesce(v_items, '[]'::json));
end $$;
comment on function api.get_catalog is
  'The whole catalog as a tree, {items: [{id, slug, name, level, parentId, accentColor, userCount, children}]}. If '
  'filtered by level, parent or both, it is a flat list without children. It is sorted by name, and the response '
  'has an ETag.';

insert into private.links (type, path) values ('interest', '/interests/{id}');
