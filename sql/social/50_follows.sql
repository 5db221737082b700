-- A follow is one person's subscription to what another publishes. There is one row per direction, and a block ends
-- both. docs/decisions.md, Circles and blocks.

create table app.follows (
  follower_id  uuid not null references app.users on delete cascade,
  following_id uuid not null references app.users on delete cascade,
  created_at   timestamptz not null default now(),
  primary key (follower_id, following_id),
  constraint follow_oneself check (follower_id <> following_id)
);
create index follows_followers_idx on app.follows (following_id, created_at desc, follower_id desc);
create index follows_following_idx on app.follows (follower_id, created_at desc, following_id desc);
comment on table app.follows is 'The follows of people, one row per direction.';
-- no right to update, because people only make or end follows

create table private.removed_follows (
  follower_id  uuid not null,
  following_id uuid not null,
  created_at   timestamptz not null,
  ended_at     timestamptz not null default now(),
  primary key (follower_id, following_id)
);
create index removed_follows_ended_at_idx on private.removed_follows (ended_at);
comment on table private.removed_follows is
  'The positions of removed follows in lists, kept for a day, so that a cursor at a removed follow stays valid. The '
  'ids have no foreign keys, because nothing depends on them.';
comment on column private.removed_follows.ended_at is 'When the follow ended.';
insert into private.retention (relation, counts_from, keep) values ('private.removed_follows', 'ended_at', '1 day');

create index users_banned_idx on app.users (id) where banned_at is not null;

insert into private.event_types (name, payload, happens) values
  ('social.user.followed', '{followerId,followingId}',
   'a person follows another');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('social.user.followed', 'person', 'followingId', '{}', '{followerId,followingId}');

insert into private.write_limits (kind, per_hour) values ('follows', 400);

insert into private.errors (code, status, text) values
  ('follow_oneself', 400, 'You cannot follow yourself.');

create function private.keep_removed_follows() returns trigger
language plpgsql volatile security definer   -- only this trigger may write private.removed_follows
set search_path = ''
as $$
begin
  insert into private.removed_follows (follower_id, following_id, created_at)
  select follower_id, following_id, created_at from ended
  on conflict (follower_id, following_id) do update set created_at = excluded.created_at, ended_at = now();
  return null;
end $$;
comment on function private.keep_removed_follows is
  'Trigger: keeps the place of an ended follow in private.removed_follows.';
create trigger keep_removed after delete on app.follows
  referencing old table as ended for each statement execute function private.keep_removed_follows();

create function private.end_follows() returns trigger
language plpgsql volatile security definer   -- a block also ends the other person's follow
set search_path = ''
as $$
begin
  delete from app.follows f using made m
  -- this form matches both directions, because nobody follows themselves, and it can use the index
  where f.follower_id = any (array[m.blocker_id, m.blocked_id])
    and f.following_id = any (array[m.blocker_id, m.blocked_id]);
  return null;
end $$;
comment on function private.end_follows is
  'Trigger: after a block, ends the follows between the two people, in both directions. They stay ended when the '
  'block is lifted.';
call private.force_index_scans('private.end_follows');
create trigger _110_end_follows after insert on app.blocks
  referencing new table as made for each statement execute function private.end_follows();

create function private.person_page(p_ids uuid[], p_limit integer, p_next text default null) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select private.page(json_agg(c.card order by i.place) filter (where i.place <= p_limit),
                        coalesce(array_agg(c.actor_id order by i.place), '{}'), p_limit, p_next)
    from unnest(p_ids) with ordinality as i (id, place) join app.person_card c on c.id = i.id);
end $$;
comment on function private.person_page is
  'A page of these people, in order. If another page exists, p_ids has one person more than p_limit. The cursor is '
  'an actor id, or p_next if the page is not full.';
call private.force_index_scans('private.person_page');

create function private.follow_list(p_follower uuid, p_following uuid) returns text
language plpgsql immutable
set search_path = ''
as $$ begin return coalesce('following ' || p_follower, 'followers ' || p_following); end $$;
comment on function private.follow_list is
  'The name for cursors of a list of the people whom a person (p_follower) follows, or of the followers of a person '
  '(p_following).';

create function private.require_follow_place(
  p_cursor text, p_follower uuid default null, p_following uuid default null
) returns app.place
language plpgsql stable security definer   -- a cursor stays valid when its follow ends or its person is banned
set search_path = ''
as $$
declare
  v_named uuid := private.find_person(p_cursor);
  v_place app.place := private.cursor_place(private.follow_list(p_follower, p_following), p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null and private.may_meet(private.find_level(app.uid(), v_named)) then
    select created_at, v_named into v_place from app.follows
    where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
    if not found then
      select created_at, v_named into v_place from private.removed_follows
      where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
    end if;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.require_follow_place is
  'The place of a cursor in a list of follows: the place of the follow between the person in the cursor and the '
  'person of the list, even if the follow has ended. Without a cursor, the start of the list. Fails if there is a '
  'block between the caller and the person.';

create function private.find_follows(p_follower uuid, p_following uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  -- exactly one of these two branches applies
  with looked as materialized (
    select * from (
      (select created_at as at, follower_id as id from app.follows
       where p_following is not null and following_id = p_following and (created_at, follower_id) < (v_from, v_before)
       order by created_at desc, follower_id desc limit 400)
      union all
      (select created_at, following_id from app.follows
       where p_follower is not null and follower_id = p_follower and (created_at, following_id) < (v_from, v_before)
       order by created_at desc, following_id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(private.follow_list(p_follower, p_following), l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_follows is
  'The next people that the caller sees whom a person (p_follower) follows, or who follow a person (p_following), '
  'among the next 400.';
call private.force_index_scans('private.find_follows');

create function private.count_follows(p_follower uuid, p_following uuid, p_hidden uuid[]) returns bigint
language plpgsql stable security definer   -- row-level security would check every follower
set search_path = ''
as $$
declare
  v_all bigint;
begin
  -- exactly one of these two branches applies
  select count(*) into v_all
  from ((select from app.follows where p_following is not null and following_id = p_following limit 10000)
        union all
        (select from app.follows where p_follower is not null and follower_id = p_follower limit 10000)) f;
  if v_all = 10000 then
    return v_all;
  end if;
  -- checking one follow costs as much as checking eight hidden people
  if cardinality(p_hidden) > least(5000, 1000 + 8 * v_all) then
    return (select count(*) from app.follows f
            join private.visible_people p on p.id = case when p_following is null then f.following_id
                                                         else f.follower_id end
            where p_following is not null and f.following_id = p_following
               or p_following is null and f.follower_id = p_follower);
  end if;
  return v_all - (select count(*) from unnest(p_hidden) as h (id)
                  join app.follows f on f.follower_id = coalesce(p_follower, h.id)
                                    and f.following_id = coalesce(p_following, h.id));
end $$;
comment on function private.count_follows is
  'The number of people whom a person (p_follower) follows, or who follow a person (p_following), up to 10,000. It '
  'leaves out the people in p_hidden. If p_hidden has too many people to check one by one, it leaves out everyone '
  'whom the caller does not see, so callers need not pass more than 5001.';
call private.force_index_scans('private.count_follows');
-- a generic plan for both branches would be slow for each of them
alter function private.count_follows(uuid, uuid, uuid[]) set plan_cache_mode = auto;

create function private.follow_numbers(p_person uuid) returns json
language plpgsql stable security definer   -- row-level security would check every follower
set search_path = ''
as $$
declare
  -- the counts leave out the same people as the caller's lists, because a difference would reveal a block
  v_hidden uuid[] := array(
    select distinct h.id
    from ((select author_id as id from app.audience where viewer_id = app.uid() and level < 0 limit 5001)
          union all
          (select id from app.users where banned_at is not null limit 5001)) h);
begin
  return json_build_object(
    'followers', private.count_follows(null, p_person, v_hidden),
    'following', private.count_follows(p_person, null, v_hidden));
end $$;
comment on function private.follow_numbers is
  'The number of people who follow a person, and of people whom the person follows, as the caller sees them: '
  '{followers, following}.';

create function private.follow_counts(p_person uuid) returns json
language plpgsql stable security definer   -- see private.follow_numbers
set search_path = ''
as $$
begin
  return private.merge_objects(private.follow_numbers(p_person), json_build_object(
    'isFollowing', exists (select from app.follows where follower_id = app.uid() and following_id = p_person)));
end $$;
comment on function private.follow_counts is
  'The numbers of private.follow_numbers, up to 10,000 each, and whether the caller follows the person: {followers, '
  'following, isFollowing}.';

create function api.follow_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid;
begin
  perform private.count_writes('follows');
  v_person := private.lock_person(p_person);
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.follows (follower_id, following_id) select app.uid(), u.id from app.users u where u.id = v_person
  on conflict do nothing;
  if found then
    perform private.emit('social.user.followed',
      json_build_object('followerId', app.uid(), 'followingId', v_person), array[v_person]);
  else
    perform private.require_person(p_person);
  end if;
  return private.follow_counts(v_person);
end $$;
comment on function api.follow_person is
  'Follows a person; repeating it changes nothing. Returns the same as api.follow_stats. Fails: follow_oneself.';

create function api.unfollow_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.follows where follower_id = app.uid() and following_id = private.require_person(p_person);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unfollow_person is 'Ends a follow; repeating it changes nothing.';

create function api.follow_stats(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.follow_counts(private.require_person(p_person)); end $$;
comment on function api.follow_stats is
  'The number of people who follow a person, and of people whom they follow, each counted up to 10,000, and whether '
  'the caller follows them: {followers, following, isFollowing}.';

create function api.list_followers(p_person text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
  v_found  app.found := private.find_follows(
    null, v_person, private.require_follow_place(p_cursor, p_following => v_person));
begin
  return private.person_page(v_found.ids, p_limit, v_found.next);
end $$;
comment on function api.list_followers is 'The people who follow a person, newest first.';

create function api.list_following(p_person text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
  v_found  app.found := private.find_follows(
    v_person, null, private.require_follow_place(p_cursor, p_follower => v_person));
begin
  return private.person_page(v_found.ids, p_limit, v_found.next);
end $$;
comment on function api.list_following is 'The people whom a person follows, newest first.';
