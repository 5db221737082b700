-- The places of contents in lists that are not ordered by time of publication, such as events, which are ordered by
-- their start. A place copies the columns of the head that decide who may find the content, so that an index contains
-- only contents that everybody sees.
-- docs/decisions.md, Lists; Contents.

create table private.content_places (
  content_id     uuid not null,
  sort           text not null,
  at             timestamptz not null,
  author_id      uuid not null,
  space_id       uuid,
  required_level smallint not null,
  primary key (content_id, sort)
);
create index content_places_open_idx on private.content_places (sort, at, content_id)
  where required_level = 0 and space_id is null;
create index content_places_author_idx on private.content_places (author_id, sort, at, content_id)
  where required_level = 0 and space_id is null;
create index content_places_space_idx on private.content_places (space_id, sort, at, content_id)
  where required_level = 0 and space_id is not null;
create index content_places_own_idx on private.content_places (author_id, sort, at, content_id)
  where required_level = 3;
comment on table private.content_places is
  'The places of contents in lists that are not ordered by time of publication. The functions of each kind write '
  'them with private.place_content.';
comment on column private.content_places.content_id is
  'The column has no foreign key. A trigger of the kind deletes places together with the detail, which is deleted '
  'before the head.';
comment on column private.content_places.sort is
  'The name of the order, such as start; each name belongs to one kind.';
comment on column private.content_places.at is
  'The place as a time. An order by number stores the number as seconds since 1970.';
comment on column private.content_places.author_id is
  'A copy from the head, like space_id. Neither column ever changes.';
comment on column private.content_places.required_level is 'A copy from the head. A trigger keeps it up to date.';

insert into private.personal_data (relation, person_column, reason) values
  ('private.content_places', 'author_id', 'Copies data of the sections of contents.');

create function private.place_content(p_id uuid, p_sort text, p_at timestamptz) returns void
language plpgsql volatile security definer   -- callers may not write places
set search_path = ''
as $$
begin
  if p_at is null then
    delete from private.content_places where content_id = p_id and sort = p_sort;
  else
    insert into private.content_places as p (content_id, sort, at, author_id, space_id, required_level)
    select c.id, p_sort, p_at, c.author_id, c.space_id, c.required_level from app.contents c where c.id = p_id
    on conflict (content_id, sort) do update set at = excluded.at where p.at <> excluded.at;
  end if;
end $$;
comment on function private.place_content is
  'Sets the place of a content in an order, or deletes it if p_at is null. The function is for triggers on the '
  'kind''s detail table.';

create function private.level_places() returns trigger
language plpgsql security definer   -- callers may not write places
set search_path = ''
as $$
begin
  update private.content_places set required_level = new.required_level where content_id = new.id;
  return null;
end $$;
comment on function private.level_places is 'Trigger: copies the required level of the head to its places.';
create trigger _150_level_places after update on app.contents
  for each row when (old.required_level <> new.required_level) execute function private.level_places();
