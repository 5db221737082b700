-- A series has posts of an author, in an order that the author decides. People can follow a series.
-- 32_series_operations.sql has the operations. docs/decisions.md, Posts.

create table app.series (
  id          uuid primary key default gen_random_uuid(),
  author_id   uuid not null references app.users on delete restrict,
  title       text not null,
  description text,
  created_at  timestamptz not null default now(),
  constraint series_title check (length(private.trimmed(title)) between 1 and 200),
  constraint series_description check (length(description) <= 2000)
);
create index series_author_id_idx on app.series (author_id, created_at desc, id desc);
comment on table app.series is 'A series of one author. Everyone who sees one of its posts sees the series.';

create table app.series_items (
  series_id uuid not null references app.series on delete cascade,
  post_id   uuid not null references app.posts on delete cascade,
  position  integer not null check (position > 0),
  added_at  timestamptz not null default now(),
  primary key (series_id, post_id),
  -- checked at the end of a statement, because moving an item shifts the items after it
  constraint series_items_position_key unique (series_id, position) deferrable initially immediate
);
create index series_items_post_id_idx on app.series_items (post_id);
comment on table app.series_items is
  'The items of a series, at most 200. A post can be in at most 5 series. position starts at 1 and has no gaps.';
comment on column app.series_items.added_at is 'When the post was added as an item.';

create table private.deleted_series_items (
  series_id uuid not null references app.series on delete cascade,
  post_id   uuid not null references app.posts on delete cascade,
  position  integer not null,
  left_at   timestamptz not null default clock_timestamp(),
  primary key (series_id, post_id)
);
create index deleted_series_items_post_id_idx on private.deleted_series_items (post_id);
comment on table private.deleted_series_items is
  'The places of deleted posts in their series, so that a cursor at such a post stays valid; position is that of '
  'the item after the post. A series keeps its 200 latest deleted posts, because every change of its items updates '
  'all these rows.';
comment on column private.deleted_series_items.left_at is 'When the post was deleted.';

create table app.series_follows (
  series_id  uuid not null references app.series on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (series_id, user_id)
);
create index series_follows_user_id_idx on app.series_follows (user_id, series_id);
comment on table app.series_follows is 'The people who are notified of new items of a series.';
-- no right to update, because people only make or end follows

insert into private.event_types (name, payload, happens) values
  ('posts.series.extended', '{seriesId,postId}',
   'a published post becomes an item of a series, or a scheduled item is published');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('posts.series.extended', 'series', 'seriesId', '{seriesId,postId}', '{}');

insert into private.errors (code, status, text) values
  ('series_unknown', 404, 'There is no such series.'),
  ('series_not_yours', 403, 'Only the author of a series can do this.'),
  ('series_title', 422, 'A series must have a title of 1 to 200 characters.'),
  ('series_description', 422, 'The description of a series can have at most 2000 characters.'),
  ('series_repost', 422, 'A repost cannot be an item of a series.'),
  ('series_position', 422, 'position must be between 1 and the number of items. For a new item it can be one more, '
   'which adds it at the end.'),
  ('series_full', 409, 'A series can have at most 200 items.'),
  ('series_of_post_exceeded', 409, 'A post can be in at most 5 series.'),
  ('series_exhausted', 409, 'You can have at most 100 series.'),
  ('series_follow_own', 400, 'You cannot follow your own series.');

create trigger check_author before insert on app.series for each row execute function private.check_author();

insert into private.lock_kinds (kind, position) values ('series of', 515), ('series', 515);

create function private.limit_series() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('series of', new.author_id::text);
  if (select count(*) from app.series where author_id = new.author_id) >= 100 then
    perform private.raise_error('series_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_series is 'Trigger: rejects a series if the person has 100 series.';
create trigger limit_series before insert on app.series for each row execute function private.limit_series();

create function private.lock_series(p_series uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock('series', p_series::text);
end $$;
comment on function private.lock_series is
  'Lets only one transaction at a time move items of a series. Count items in a later statement. Lock the rows of '
  'posts first, and several series in the order of their ids: ARCHITECTURE.md, Locks.';

create function private.place_item(p_series uuid, p_post uuid, p_position integer) returns boolean
language plpgsql volatile security definer   -- also moves items that the caller can't see
set search_path = ''
as $$
declare
  v_others integer;
  v_from   integer;
  v_to     integer;
  v_new    boolean;
begin
  -- lock the post first: ARCHITECTURE.md, Locks. This also prevents two series from adding the post at the same time
  perform private.check_lock_order('post');
  perform from app.posts where id = p_post and author_id = private.require_caller() for update;
  perform private.lock_series(p_series);
  perform from app.series s join app.posts p on p.author_id = s.author_id
  where s.id = p_series and p.id = p_post and s.author_id = private.require_caller() and p.deleted_at is null;
  if not found then
    perform private.raise_error('series_unknown');
  end if;

  select count(*) filter (where post_id <> p_post), max(position) filter (where post_id = p_post)
  into v_others, v_from
  from app.series_items where series_id = p_series;
  v_to := coalesce(p_position, v_others + 1);
  v_new := v_from is null;
  if v_new and v_others >= 200 then
    perform private.raise_error('series_full');
  elsif v_new and (select count(*) from app.series_items where post_id = p_post) >= 5 then
    perform private.raise_error('series_of_post_exceeded');
  elsif v_to not between 1 and v_others + 1 then
    perform private.raise_error('series_position');
  end if;

  if v_new then
    v_from := v_others + 1;
    insert into app.series_items (series_id, post_id, position) values (p_series, p_post, v_from);
  end if;
  update app.series_items
  set position = case when post_id = p_post then v_to else position + sign(v_from - v_to)::integer end
  where series_id = p_series and position between least(v_from, v_to) and greatest(v_from, v_to) and v_from <> v_to;
  -- as if the item were removed and then inserted at its new position
  update private.deleted_series_items l
  set position = m.position + (m.position > v_to)::integer
  from (select post_id, position - (position > v_from)::integer as position
        from private.deleted_series_items where series_id = p_series) m
  where l.series_id = p_series and l.post_id = m.post_id;
  return v_new;
end $$;
comment on function private.place_item is
  'Puts the caller''s post into the caller''s series at this position, or at the end. If the post is already an '
  'item, it moves there. Items after it shift. Returns true if the item is new.';

create function private.leave_series() returns trigger
language plpgsql volatile security definer   -- only triggers and private.place_item may write positions
set search_path = ''
as $$
declare
  v_series uuid;
  v_gap    integer;
begin
  -- the post cannot be added to a series in the meantime, because adding locks its row
  for v_series in select series_id from app.series_items where post_id = new.id order by series_id loop
    perform private.lock_series(v_series);
    delete from app.series_items where series_id = v_series and post_id = new.id returning position into v_gap;
    update app.series_items set position = position - 1 where series_id = v_series and position > v_gap;
    update private.deleted_series_items set position = position - 1 where series_id = v_series and position > v_gap;
    insert into private.deleted_series_items (series_id, post_id, position) values (v_series, new.id, v_gap);
    delete from private.deleted_series_items
    where series_id = v_series
      and post_id in (select post_id from private.deleted_series_items where series_id = v_series
                      order by left_at desc, post_id offset 200);
  end loop;
  return null;
end $$;
comment on function private.leave_series is
  'Trigger: removes a deleted post from its series. The items after it move up.';
create trigger _170_leave_series after update of deleted_at on app.posts
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function private.leave_series();

create function private.end_series_follows() returns trigger
language plpgsql volatile security definer   -- a block also ends the other person's follow
set search_path = ''
as $$
begin
  -- find the follows by series, because an author has at most 100 series
  delete from app.series_follows f
  using (select m.blocked_id as follower_id, s.id
         from made m, app.series s where s.author_id = m.blocker_id
         union all
         select m.blocker_id, s.id
         from made m, app.series s where s.author_id = m.blocked_id
         offset 0) g
  where f.series_id = g.id and f.user_id = g.follower_id;
  return null;
end $$;
comment on function private.end_series_follows is
  'Trigger: after a block, ends the two people''s follows of each other''s series. They stay ended when the block '
  'is lifted.';
call private.force_index_scans('private.end_series_follows');
create trigger _200_end_series_follows after insert on app.blocks
  referencing new table as made for each statement execute function private.end_series_follows();

create view app.series_card with (security_invoker) as
select s.id, s.author_id,
       json_build_object(
         'id', s.id,
         'authorId', author.actor_id,
         'author', author.card,
         'title', s.title,
         'description', s.description,
         'partCount', (select count(*) from app.series_items i where i.series_id = s.id),
         'followed', (select true from app.series_follows f
                      where f.series_id = s.id and f.user_id = (select app.uid())) is true,
         'createdAt', private.utc(s.created_at)) as card
from app.series s
join app.person_card author on author.id = s.author_id;
comment on view app.series_card is
  'A series as its viewer sees it: {id, authorId, author, title, description, partCount, followed, createdAt}. '
  'partCount counts the items that the viewer sees.';

create function private.series_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.series_card c on c.id = i.id);
end $$;
comment on function private.series_cards is 'The cards of these series that the caller sees, in order.';
call private.force_index_scans('private.series_cards');

insert into private.links (type, path) values ('series', '/series/{id}');
