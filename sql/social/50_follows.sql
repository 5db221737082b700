-- Follows: one person's subscription to what another publishes. One row a direction; a block ends both.
-- docs/decisions.md, Circles and blocks.

create table app.follows (
  follower_id  uuid not null references app.users on delete cascade,
  following_id uuid not null references app.users on delete cascade,
  created_at   timestamptz not null default now(),
  primary key (follower_id, following_id),
  constraint follow_oneself check (follower_id <> following_id)
);
create index follows_followers_idx on app.follows (following_id, created_at desc, follower_id desc);
create index follows_following_idx on app.follows (follower_id, created_at desc, following_id desc);
comment on table app.follows is 'Who follows whom, one row a direction.';
-- no update: a follow is made or ended, never changed

create table private.ended_follows (
  follower_id  uuid not null,
  following_id uuid not null,
  created_at   timestamptz not null,
  ended_at     timestamptz not null default now(),
  primary key (follower_id, following_id)
);
create index ended_follows_ended_at_idx on private.ended_follows (ended_at);
comment on table private.ended_follows is
  'The places of ended follows in the lists, for a day, so that a reader in the middle of a list can go on from '
  'there. The ids are no foreign keys, since nothing depends on them.';
comment on column private.ended_follows.ended_at is 'When the follow ended.';
insert into private.retention (relation, counts_from, keep) values ('private.ended_follows', 'ended_at', '1 day');

create index users_banned_idx on app.users (id) where banned_at is not null;

insert into private.events (name, payload, happens) values
  ('social.user.followed', '{followerId,followingId}',
   'a person follows another');

insert into private.errors (code, status, text) values
  ('follow_oneself', 400, 'You cannot follow yourself.');

create function private.keep_ended_follows() returns trigger
language plpgsql volatile security definer   -- only this trigger writes them
set search_path = ''
as $$
begin
  insert into private.ended_follows (follower_id, following_id, created_at)
  select follower_id, following_id, created_at from ended
  on conflict (follower_id, following_id) do update set created_at = excluded.created_at, ended_at = now();
  return null;
end $$;
comment on function private.keep_ended_follows is 'Trigger: an ended follow leaves its place in the lists behind.';
create trigger keep_ended after delete on app.follows
  referencing old table as ended for each statement execute function private.keep_ended_follows();

create function private.end_follows() returns trigger
language plpgsql volatile security definer   -- a block ends the other's follow too
set search_path = ''
as $$
begin
  delete from app.follows f using made m
  where (f.follower_id, f.following_id) in ((m.blocker_id, m.blocked_id), (m.blocked_id, m.blocker_id));
  return null;
end $$;
comment on function private.end_follows is 'Trigger: a block ends follows both ways. Lifting it restores none.';
create trigger _110_end_follows after insert on app.blocks
  referencing new table as made for each statement execute function private.end_follows();

create function private.person_page(p_ids uuid[], p_limit integer) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select private.page(json_agg(c.card order by i.place) filter (where i.place <= p_limit),
                        coalesce(array_agg(c.card ->> 'id' order by i.place), '{}'), p_limit)
    from unnest(p_ids) with ordinality as i (id, place) join app.person_card c on c.id = i.id);
end $$;
comment on function private.person_page is
  'A page of these people, in order, from one more than the page if there are so many; the cursor is an actor id. '
  'Fails: limit_out_of_range.';

create function private.require_follow_place(
  p_cursor text, p_follower uuid default null, p_following uuid default null
) returns app.follows
language plpgsql stable security definer   -- a cursor stays good when its follow ends or its person is banned
set search_path = ''
as $$
declare
  v_named uuid := private.find_person(p_cursor);
  v_place app.follows;
begin
  if p_cursor is null then
    v_place.created_at := 'infinity';   -- before the first
    return v_place;
  end if;
  select * into v_place from app.follows
  where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
  if not found then
    select follower_id, following_id, created_at into v_place from private.ended_follows
    where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
  end if;
  if not found or not private.may_meet(private.find_level(app.uid(), v_named)) then
    perform private.fail('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.require_follow_place is
  'The follow between the person that a cursor names and the person whose list it is, also when it has ended. Without '
  'a cursor it is a moment after all of them. A person across a block from the caller is never found. Fails: '
  'cursor_unknown.';

create function private.follow_counts(p_person uuid) returns json
language plpgsql stable security definer   -- row-level security would check every follower
set search_path = ''
as $$
declare
  -- the counts leave out whom the caller's lists leave out, since a difference would tell of a block
  v_hidden uuid[] := array(select author_id from app.audience where viewer_id = app.uid() and level < 0
                           union select id from app.users where banned_at is not null);
begin
  return json_build_object(
    'followers', (select count(*) from app.follows where following_id = p_person)
               - (select count(*) from app.follows where following_id = p_person and follower_id = any (v_hidden)),
    'following', (select count(*) from app.follows where follower_id = p_person)
               - (select count(*) from app.follows where follower_id = p_person and following_id = any (v_hidden)),
    'isFollowing', exists (select from app.follows where follower_id = app.uid() and following_id = p_person));
end $$;
comment on function private.follow_counts is
  'How many people follow a person and how many they follow, as the caller''s lists show them, and whether the caller '
  'follows them: {followers, following, isFollowing}.';

create function api.follow_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid := private.lock_person(p_person);
begin
  insert into app.follows (follower_id, following_id) values (private.require_caller(), v_person)
  on conflict do nothing;
  if found then
    perform private.emit('social.user.followed', json_build_object('followerId', app.uid(), 'followingId', v_person));
  end if;
  return private.follow_counts(v_person);
end $$;
comment on function api.follow_person is
  'Follows a person; repeating it changes nothing. Answers as api.follow_stats. Fails: person_unknown, '
  'follow_oneself.';

create function api.unfollow_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.follows where follower_id = app.uid() and following_id = private.require_person(p_person);
  return null;   -- answered as 204
end $$;
comment on function api.unfollow_person is 'Ends a follow; repeating it changes nothing. Fails: person_unknown.';

create function api.follow_stats(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.follow_counts(private.require_person(p_person)); end $$;
comment on function api.follow_stats is
  'How many people follow a person and how many they follow, and whether the caller follows them: {followers, '
  'following, isFollowing}. Fails: person_unknown.';

create function api.list_followers(p_person text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
  v_from   app.follows := private.require_follow_place(p_cursor, p_following => v_person);
begin
  -- plain variables: an expression such as coalesce makes no index condition under a policy, and a deep page would
  -- read all pages before it
  return private.person_page(array(
    select follower_id from app.follows
    where following_id = v_person
      and (created_at, follower_id) < (v_from.created_at, v_from.follower_id)
    order by created_at desc, follower_id desc limit 51), p_limit);
end $$;
comment on function api.list_followers is
  'The people who follow a person, newest first. Fails: person_unknown, cursor_unknown, limit_out_of_range.';

create function api.list_following(p_person text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
  v_from   app.follows := private.require_follow_place(p_cursor, p_follower => v_person);
begin
  return private.person_page(array(
    select following_id from app.follows
    where follower_id = v_person
      and (created_at, following_id) < (v_from.created_at, v_from.following_id)
    order by created_at desc, following_id desc limit 51), p_limit);
end $$;
comment on function api.list_following is
  'The people whom a person follows, newest first. Fails: person_unknown, cursor_unknown, limit_out_of_range.';
